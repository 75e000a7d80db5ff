/** The CDK, for the emulator. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runNode } from '../../fixtures/node-process.ts'
import type { EmulatedVersion } from './versions.ts'

/** Runs a program. @returns its output @throws Error with the end of its output, if it fails */
const run = async (args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<string> => {
  const { exitCode, output, errors } = await runNode(args, variables)
  if (exitCode !== 0) throw new Error(`${args.join(' ')} failed:\n${(output + errors).slice(-6_000)}`)
  return output + errors
}

const cdk = 'node_modules/aws-cdk-local/bin/cdklocal'

/** Runs the CDK's command-line tool against the emulator. */
const runCdk = async (...args: readonly string[]): Promise<void> => {
  await run([cdk, ...args, '--progress', 'events', '--ci'])
}

/** Prepares the account for CDK. The assembly only spares the CDK another synth. */
export const bootstrap = (assembly: string): Promise<void> =>
  runCdk('bootstrap', 'aws://000000000000/us-east-1', '--app', assembly, '--build', '')

/**
 * Synthesizes the emulated app.
 *
 * @returns the folder of the cloud assembly
 */
export const synthesize = async (version: EmulatedVersion): Promise<string> => {
  const assembly = mkdtempSync(join(tmpdir(), 'assembly-'))
  const variables = {
    CDK_OUTDIR: assembly,
    // cfn-lint makes the CDK's own checks of templates in `npm test`.
    CDK_VALIDATION: 'false',
  }
  await run(['test/deployed/emulator/emulated-app.ts', version], variables)
  return assembly
}

/** Deploys stacks of an assembly as deploy-environment.yml does, without another synth. */
export const deploy = (assembly: string, ...stacks: readonly string[]): Promise<void> =>
  runCdk('deploy', '--app', assembly, '--build', '', ...stacks, '--require-approval', 'never')

export const destroy = (assembly: string, ...stacks: readonly string[]): Promise<void> =>
  runCdk('destroy', '--app', assembly, '--build', '', ...stacks, '--force')

/**
 * Compares stacks of an assembly with those that are deployed, as deploy-environment.yml does.
 *
 * @param endpoint address of the emulator, or of a proxy in front of it
 * @returns the text that reviewers see
 */
export const diff = (assembly: string, endpoint: string, ...stacks: readonly string[]): Promise<string> =>
  run([cdk, 'diff', '--app', assembly, '--build', '', ...stacks, '--method', 'template', '--ci'], {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    NO_COLOR: '1',
  })
