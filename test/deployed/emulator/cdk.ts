import { join } from 'node:path'
import { runNode } from './run.ts'

/** Runs the CDK's command-line tool against the emulator. @throws Error with what it printed, when it fails */
const cdk = async (folder: string, ...words: readonly string[]): Promise<void> => {
  const output = ['--output', join(folder, 'cdk.out'), '--progress', 'events', '--ci']
  const { exitCode, ...printed } = await runNode(['node_modules/aws-cdk-local/bin/cdklocal', ...words, ...output])
  if (exitCode !== 0) {
    throw new Error(`cdk ${words.join(' ')} failed:\n${(printed.output + printed.errors).slice(-6_000)}`)
  }
}

/** @param folder that may be written, as for the others */
export const bootstrap = (folder: string) => cdk(folder, 'bootstrap', 'aws://000000000000/us-east-1')

const app = 'node test/deployed/emulator/emulated-app.ts'

interface DeployOptions {
  /** Words of the app. */
  readonly words?: string
}

export const deploy = (folder: string, stacks: readonly string[], { words = '' }: DeployOptions = {}) =>
  cdk(folder, 'deploy', ...stacks, '--require-approval', 'never', '--app', `${app} ${words}`)

export const destroy = (folder: string, stacks: readonly string[]) =>
  cdk(folder, 'destroy', ...stacks, '--force', '--app', app)
