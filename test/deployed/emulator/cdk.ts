/** The CDK, for the emulator. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runNode } from '../../fixtures/node-process.ts'

/** Runs a program. @throws Error with the end of its output, if it fails */
const run = async (args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<void> => {
  const { exitCode, output, errors } = await runNode(args, variables)
  if (exitCode !== 0) throw new Error(`${args.join(' ')} failed:\n${(output + errors).slice(-6_000)}`)
}

/** Runs the CDK's command-line tool against the emulator. */
const runCdk = (...args: readonly string[]): Promise<void> =>
  run(['node_modules/aws-cdk-local/bin/cdklocal', ...args, '--progress', 'events', '--ci'])

export const bootstrap = (): Promise<void> => {
  const output = mkdtempSync(join(tmpdir(), 'bootstrap-'))
  return runCdk('bootstrap', 'aws://000000000000/us-east-1', '--output', output)
}

/**
 * Synthesizes the emulated app.
 *
 * @param args options of `emulated-app.ts`
 * @returns the folder of the cloud assembly
 */
export const synthesize = async (...args: readonly string[]): Promise<string> => {
  const assembly = mkdtempSync(join(tmpdir(), 'assembly-'))
  const variables = {
    CDK_OUTDIR: assembly,
    // cfn-lint makes the CDK's own checks of templates in `npm test`.
    CDK_VALIDATION: 'false',
  }
  await run(['test/deployed/emulator/emulated-app.ts', ...args], variables)
  return assembly
}

/** Deploys stacks of an assembly as deploy-environment.yml does, without another synth. */
export const deploy = (assembly: string, ...stacks: readonly string[]): Promise<void> =>
  runCdk('deploy', '--app', assembly, '--build', '', ...stacks, '--require-approval', 'never')

export const destroy = (assembly: string, ...stacks: readonly string[]): Promise<void> =>
  runCdk('destroy', '--app', assembly, '--build', '', ...stacks, '--force')
