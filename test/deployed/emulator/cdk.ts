import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runNode } from '../../fixtures/node-process.ts'

/** @throws Error with what it printed, when it fails */
const run = async (words: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<void> => {
  const { exitCode, output, errors } = await runNode(words, variables)
  if (exitCode !== 0) throw new Error(`${words.join(' ')} failed:\n${(output + errors).slice(-6_000)}`)
}

/** Runs the CDK's command-line tool against the emulator. */
const cdk = (...words: readonly string[]): Promise<void> =>
  run(['node_modules/aws-cdk-local/bin/cdklocal', ...words, '--progress', 'events', '--ci'])

export const bootstrap = () =>
  cdk('bootstrap', 'aws://000000000000/us-east-1', '--output', mkdtempSync(join(tmpdir(), 'bootstrap-')))

/** An assembly, which the words of the app change. It is deployed as the workflow deploys it: nothing is synthesized again. */
export const synthesize = async (...words: readonly string[]): Promise<string> => {
  const assembly = mkdtempSync(join(tmpdir(), 'assembly-'))
  // cfn-lint makes the CDK's own checks of templates in `npm test`.
  await run(['test/deployed/emulator/emulated-app.ts', ...words], { CDK_OUTDIR: assembly, CDK_VALIDATION: 'false' })
  return assembly
}

export const deploy = (assembly: string, ...stacks: readonly string[]): Promise<void> =>
  cdk('deploy', '--app', assembly, '--build', '', ...stacks, '--require-approval', 'never')

export const destroy = (assembly: string, ...stacks: readonly string[]): Promise<void> =>
  cdk('destroy', '--app', assembly, '--build', '', ...stacks, '--force')
