import { fileURLToPath } from 'node:url'
import { Annotations, App } from 'aws-cdk-lib'
import cdk from '../cdk.json' with { type: 'json' }
import { type Clock, systemClock } from '../shared/clock.ts'
import { runCommand } from './command-line/run-command.ts'
import { readFunctionFolders } from './constructs/functions/function-folders.ts'
import { type ContractOperation, readContract } from './contract/contract.ts'
import { type EnvironmentName, environmentNames } from './environments.ts'
import { findObjections } from './operations/settings/removals.ts'
import { configure, readSettings, requireCloudFront, type Settings } from './settings.ts'
import { EnvironmentStage } from './stacks/environment-stage.ts'

interface AppOptions {
  /** The folder for templates and assets. @default the one that the `cdk` command names, or a temporary one */
  readonly outputDirectory?: string
  /** @default all */
  readonly environments?: readonly EnvironmentName[]
  /** @default those of the contract */
  readonly operations?: readonly ContractOperation[]
  /** @default the folders of `functions/` */
  readonly functionFolders?: readonly string[]
  /** @default the system's */
  readonly clock?: Clock
  /** Options that those of the command line win over. @default none */
  readonly settings?: Settings
}

/**
 * The CDK app, not yet synthesized: one stage for each environment, each with the stacks `data`, `api`, `reference` and
 * `monitoring`.
 *
 * @throws UserError when an option is invalid, the Region cannot hold the service, or the contract and the functions do not
 * match
 */
export const createApp = (options: AppOptions = {}): App => {
  const app = new App({
    // The `cdk` command sets these too. Set here, they give the same templates to every other caller.
    // The metadata tell the SAM CLI where the bundle of a function is.
    context: { ...cdk.context, 'aws:cdk:enable-asset-metadata': true, ...options.settings },
    analyticsReporting: cdk.versionReporting,
    ...(options.outputDirectory !== undefined && { outdir: options.outputDirectory }),
  })
  // Set by the `cdk` command.
  const credentialsRegion = process.env['CDK_DEFAULT_REGION']
  const context = app.node.getAllContext()
  // All before any, as the bundles of a stage take seconds.
  const configs = (options.environments ?? environmentNames).map((name) => [name, configure(name, context)] as const)
  for (const [environment, config] of configs) requireCloudFront(environment, config.region ?? credentialsRegion)
  for (const [environment, config] of configs) {
    new EnvironmentStage(app, environment, {
      config,
      operations: options.operations ?? readContract().operations,
      functionFolders: options.functionFolders ?? readFunctionFolders(),
      clock: options.clock ?? systemClock,
      ...(credentialsRegion !== undefined && { credentialsRegion }),
    })
  }
  return app
}

/**
 * The app that the `cdk` command runs: with the settings, and with errors at the stacks that would remove what an operator
 * has not named. Where an error is, the command deploys nothing. Without credentials there is no deployment to compare.
 */
export const createAppToDeploy = async (): Promise<App> => {
  const app = createApp({ settings: readSettings() })
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env
  if (account === undefined) return app
  for (const stage of app.node.children.filter((child) => child instanceof EnvironmentStage)) {
    const { environment, config } = stage
    for (const { stack, isError, sentence } of await findObjections({ environment, config, account, region })) {
      const annotations = Annotations.of(stage[stack])
      if (isError) annotations.addError(sentence)
      else annotations.addWarningV2('pet-adoption:not-compared', sentence)
    }
  }
  return app
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(async () => {
    const app = await createAppToDeploy()
    app.synth()
  })
}
