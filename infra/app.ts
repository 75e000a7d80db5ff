import { fileURLToPath } from 'node:url'
import { App, type AppProps } from 'aws-cdk-lib'
import cdk from '../cdk.json' with { type: 'json' }
import { runCommand } from './command-line/run-command.ts'
import { UserError } from './command-line/user-error.ts'
import { type EnvironmentConfig, type EnvironmentName, environmentNames, environments } from './environments.ts'
import { checkPlans, checkSettings } from './stacks/check-settings.ts'
import { EnvironmentStage } from './stacks/environment-stage.ts'

/** The settings of each environment of an app. */
export type EnvironmentConfigs = Readonly<Partial<Record<EnvironmentName, EnvironmentConfig>>>

/**
 * Creates the CDK app with one stage for each environment, without synthesizing it. Calls nothing on AWS.
 *
 *     createApp().synth()
 *     createApp({ staging: defaults.staging }, { outdir: folder }).synth()
 *
 * @throws UserError when AWS or the service would refuse a plan, or a setting, alone or together with others
 */
export const createApp = (configs: EnvironmentConfigs = environments, props: AppProps = {}): App => {
  const app = new App({
    analyticsReporting: cdk.versionReporting,
    ...props,
    context: {
      // The `cdk` command sets the context of cdk.json and the asset metadata by itself. Both are set here too, so that
      // every caller gets the same templates. cdk.json has all of CDK's feature flags, so that a new version of CDK
      // changes nothing that has a flag. The asset metadata tell the SAM CLI where the bundle of a function is.
      ...cdk.context,
      'aws:cdk:enable-asset-metadata': true,
      ...props.context,
    },
  })
  checkContext(app.node.getAllContext())
  checkPlans()

  for (const name of environmentNames) {
    const config = configs[name]
    if (config !== undefined) checkSettings(name, config)
  }

  // Stages are created after all checks, because each one takes seconds to bundle the functions.
  for (const name of environmentNames) {
    const config = configs[name]
    const skipsCanary = app.node.tryGetContext(`${name}.release`) === 'all-at-once'
    if (config !== undefined) new EnvironmentStage(app, name, config, skipsCanary)
  }
  return app
}

/**
 * Checks the context that `-c` sets. The only setting is `-c production.release=all-at-once`, which skips the canary of
 * one release. Only a key of two words with a dot between them is checked: CDK's own keys have another form.
 */
const checkContext = (context: Readonly<Record<string, unknown>>): void => {
  const allowedKeys = environmentNames.map((name) => `${name}.release`)
  for (const [key, value] of Object.entries(context)) {
    const isCdkKey = !/^[\w-]+\.[\w-]+$/.test(key)
    const isAllowed = allowedKeys.includes(key) && value === 'all-at-once'
    if (isCdkKey || isAllowed) continue
    throw new UserError(
      `-c sets ${allowedKeys.join(' or ')} to all-at-once, and not ${key}=${value}: ` +
        'everything else stands in infra/environments.ts.',
    )
  }
}

/**
 * Creates the CDK app and writes its templates. The `cdk` command runs this file for that.
 *
 * @throws UserError like `createApp`
 */
export const synthesizeApp = (configs?: EnvironmentConfigs): void => {
  // Without this option, `cdk synth` without the name of a stack shows no warning of a stage.
  createApp(configs).synth({ validateOnSynthesis: true })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(() => synthesizeApp())
}
