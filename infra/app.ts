import { fileURLToPath } from 'node:url'
import { App } from 'aws-cdk-lib'
import cdk from '../cdk.json' with { type: 'json' }
import { type Clock, systemClock } from '../shared/clock.ts'
import { runCommand } from './command-line/run-command.ts'
import { readFunctionFolders } from './constructs/functions/function-folders.ts'
import { type ContractOperation, readContract } from './contract/contract.ts'
import { type EnvironmentName, environmentNames } from './environments.ts'
import { configure } from './operator-options.ts'
import { EnvironmentStage } from './stacks/environment-stage.ts'

interface AppOptions {
  /** Where the templates and assets go. @default the folder that the `cdk` command names, else a temporary one */
  readonly outputDirectory?: string
  /** @default all */
  readonly environments?: readonly EnvironmentName[]
  /** @default those of the contract */
  readonly operations?: readonly ContractOperation[]
  /** @default the folders of `functions/` */
  readonly functionFolders?: readonly string[]
  /** @default the system's */
  readonly clock?: Clock
}

/**
 * The CDK app, not yet synthesized: one stage for each environment, each with the stacks `data`, `api`, `reference` and
 * `monitoring`.
 *
 * @throws UserError when the operator's options are mistaken, or the contract and the functions do not match
 */
export const createApp = (options: AppOptions = {}): App => {
  const app = new App({
    // The `cdk` command sets these too. Given here, whoever else synthesizes gets the same templates.
    context: cdk.context,
    analyticsReporting: cdk.versionReporting,
    ...(options.outputDirectory !== undefined && { outdir: options.outputDirectory }),
  })
  for (const environment of options.environments ?? environmentNames) {
    new EnvironmentStage(app, environment, {
      config: configure(environment, app.node.getAllContext()),
      operations: options.operations ?? readContract().operations,
      functionFolders: options.functionFolders ?? readFunctionFolders(),
      clock: options.clock ?? systemClock,
    })
  }
  return app
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(() => {
    createApp().synth()
  })
}
