/** The CDK, for the emulator, and the versions of the service that it deploys there. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EnvironmentConfigs } from '../../../infra/app.ts'
import { defaults, type EnvironmentConfig, presets } from '../../../infra/environments.ts'
import { runNode } from '../../fixtures/machine/node-process.ts'

const { staging, production } = defaults

const protectedStaging: EnvironmentConfig = { ...staging, data: 'protected' }

/** Versions of the service that the tests deploy to the emulator: the settings of the environments of each one. */
export const versions = {
  first: defaults,
  /** Staging bans a key after its first refusal. Production has the preset `small`. */
  changed: {
    staging: { ...staging, banPolicy: { ...staging.banPolicy, refusalsBeforeBan: 1 } },
    production: { ...production, ...presets.small },
  },
  /** Staging is protected as production is. */
  protected: { staging: protectedStaging },
  /** The version `protected` with a stack `api` that fails when all its resources have been created. */
  failing: { staging: protectedStaging },
} satisfies Readonly<Record<string, EnvironmentConfigs>>

type EmulatedVersion = keyof typeof versions

/** Runs a program. @returns its output @throws Error with the end of its output, if it fails */
const run = async (args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<string> => {
  const { exitCode, output, errors } = await runNode(args, variables)
  if (exitCode !== 0) throw new Error(`${args.join(' ')} failed:\n${(output + errors).slice(-6_000)}`)
  return output + errors
}

const cdk = 'node_modules/aws-cdk-local/bin/cdklocal'

/** Runs a command of the CDK against the emulator. */
const runCdk = async (...args: readonly string[]): Promise<void> => {
  await run([cdk, ...args, '--progress', 'events', '--ci'])
}

/** Joins the path of the folder of cloud assemblies, which is in the emulator's folder of temporary files. */
const joinAssembliesPath = (): string => join(tmpdir(), 'assemblies')

/** Joins the path of the cloud assembly of a version. */
const joinAssemblyPath = (version: EmulatedVersion): string => join(joinAssembliesPath(), version)

/** Synthesizes all versions. */
export const synthesize = async (): Promise<void> => {
  // cfn-lint makes the CDK's own checks of templates in `.ci/run`.
  await run(['test/deployed/emulator/emulated-app.ts', joinAssembliesPath()], { CDK_VALIDATION: 'false' })
}

/** Prepares the account for CDK. The command needs an app, and this assembly spares it a synth. */
export const bootstrap = (): Promise<void> =>
  runCdk('bootstrap', 'aws://000000000000/us-east-1', '--app', joinAssemblyPath('first'), '--build', '')

/** Options of a deployment without another synth, which deploys two environments at the same time. */
const deployOptions = ['--build', '', '--require-approval', 'never', '--concurrency', '2']

/** Deploys stacks of a version as deploy-environment.yml does. */
export const deploy = (version: EmulatedVersion, ...stacks: readonly string[]): Promise<void> =>
  runCdk('deploy', '--app', joinAssemblyPath(version), ...stacks, ...deployOptions)

export const destroy = (version: EmulatedVersion, ...stacks: readonly string[]): Promise<void> =>
  runCdk('destroy', '--app', joinAssemblyPath(version), '--build', '', ...stacks, '--force')

/**
 * Compares stacks of a version with those that are deployed, as deploy-environment.yml does.
 *
 * @param endpoint address of the emulator, or of a proxy in front of it
 * @returns the text that reviewers see
 */
export const diff = (version: EmulatedVersion, endpoint: string, ...stacks: readonly string[]): Promise<string> =>
  run([cdk, 'diff', '--app', joinAssemblyPath(version), '--build', '', ...stacks, '--method', 'template', '--ci'], {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    NO_COLOR: '1',
  })
