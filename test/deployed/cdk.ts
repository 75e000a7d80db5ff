import { join } from 'node:path'
import type { AwsVariables } from './emulator.ts'
import { runNode } from './run.ts'

/** Where to deploy to, and a folder that may be written. */
export interface Target {
  readonly variables: AwsVariables
  readonly folder: string
}

/** Runs the CDK's command-line tool against the emulator. @throws Error with what it printed, when it fails */
export const cdk = async ({ variables, folder }: Target, words: readonly string[]): Promise<void> => {
  const output = ['--output', join(folder, 'cdk.out'), '--progress', 'events', '--ci']
  const { exitCode, ...printed } = await runNode(
    ['node_modules/aws-cdk-local/bin/cdklocal', ...words, ...output],
    variables,
  )
  if (exitCode !== 0) {
    throw new Error(`cdk ${words.join(' ')} failed:\n${(printed.output + printed.errors).slice(-6_000)}`)
  }
}

export const bootstrap = (target: Target) => cdk(target, ['bootstrap', 'aws://000000000000/us-east-1'])

const app = (file = 'emulated-app.ts') => ['--app', `node test/deployed/${file}`]

interface DeployOptions {
  /** Another app than the service's own. */
  readonly file?: string
  /** Options on the command line, such as `staging.probe=on`. */
  readonly options?: readonly string[]
}

export const deploy = (target: Target, stacks: readonly string[], { file, options = [] }: DeployOptions = {}) =>
  cdk(target, [
    ...['deploy', ...stacks, '--require-approval', 'never', ...app(file)],
    ...options.flatMap((option) => ['-c', option]),
  ])

export const destroy = (target: Target, stacks: readonly string[]) =>
  cdk(target, ['destroy', ...stacks, '--force', ...app()])
