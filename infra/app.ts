import { fileURLToPath } from 'node:url'
import { App, type AppProps } from 'aws-cdk-lib'
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { RegionInfo } from 'aws-cdk-lib/region-info'
import cdk from '../cdk.json' with { type: 'json' }
import { runCommand } from './command-line/run-command.ts'
import { UserError } from './command-line/user-error.ts'
import {
  type EnvironmentConfig,
  type EnvironmentName,
  environmentNames,
  environments,
  releases,
} from './environments.ts'
import { EnvironmentStage } from './stacks/environment-stage.ts'

/**
 * Creates the CDK app with one stage for each environment, without synthesizing it. Calls nothing on AWS.
 *
 *     createApp().synth()
 *     createApp({ staging: defaults.staging }, { outdir: folder }).synth()
 *
 * @throws UserError when settings do not fit each other, or the Region cannot hold the service
 */
export const createApp = (
  configs: Partial<Readonly<Record<EnvironmentName, EnvironmentConfig>>> = environments,
  props: AppProps = {},
): App => {
  const app = new App({
    analyticsReporting: cdk.versionReporting,
    ...props,
    context: {
      // Feature flags that CDK recommends to new projects; cdk.json overrides some.
      ...recommendedFlags,
      // The `cdk` command passes the context of cdk.json and the asset metadata itself. Both are set here too, so that
      // every other caller gets the same templates. The metadata tell the SAM CLI where the bundle of a function is.
      ...cdk.context,
      'aws:cdk:enable-asset-metadata': true,
      ...props.context,
    },
  })
  checkContext(app.node.getAllContext())

  const stageConfigs = new Map<EnvironmentName, EnvironmentConfig>()
  for (const name of environmentNames) {
    const config = configs[name]
    if (config === undefined) continue
    const release: EnvironmentConfig['release'] = app.node.tryGetContext(`${name}.release`) ?? config.release
    const stageConfig = { ...config, release }
    checkSettings(name, stageConfig)
    checkRegion(name, stageConfig)
    stageConfigs.set(name, stageConfig)
  }

  // Stages are created after all checks, because each one takes seconds to bundle the functions.
  for (const [name, config] of stageConfigs) new EnvironmentStage(app, name, config)
  return app
}

/**
 * Checks the context that `-c` sets. The only setting there is the release of one deployment, for example
 * `-c production.release=all-at-once`. CDK has keys of its own in the context; none of them is two words with a dot
 * between them.
 */
const checkContext = (context: Readonly<Record<string, unknown>>): void => {
  const allowedKeys = environmentNames.map((name) => `${name}.release`)
  for (const [key, value] of Object.entries(context)) {
    const isCdkKey = !/^[\w-]+\.[\w-]+$/.test(key)
    const isRelease = allowedKeys.includes(key) && releases.some((release) => release === value)
    if (isCdkKey || isRelease) continue
    throw new UserError(
      `-c sets ${allowedKeys.join(' or ')}, to ${releases.join(' or ')}, and not ${key}=${value}: ` +
        'everything else stands in infra/environments.ts.',
    )
  }
}

/** Checks what the types of the settings cannot: values that must fit each other. */
const checkSettings = (name: EnvironmentName, { account, alarms, data, release }: EnvironmentConfig): void => {
  if (name === 'production' && data !== 'protected') {
    throw new UserError('production.data must be protected: a mistake could delete the tables of production.')
  }
  if (release === 'canary' && !alarms) {
    throw new UserError(
      `${name} has the release canary without alarms, so nothing would roll it back: ` +
        'set alarms to true, or release to all-at-once.',
    )
  }
  if (account !== undefined && !/^\d{12}$/.test(account)) {
    throw new UserError(`${name}.account must be the twelve digits of an AWS account.`)
  }
}

/** Checks the Region of an environment, if it is known: the setting, or the Region of the credentials. */
const checkRegion = (name: EnvironmentName, config: EnvironmentConfig): void => {
  const { domain } = config
  const regionName = config.region ?? process.env['CDK_DEFAULT_REGION']
  if (regionName === undefined) return

  const region = RegionInfo.regions.find((candidate) => candidate.name === regionName)
  if (region === undefined) {
    throw new UserError(`CDK knows no AWS Region ${regionName}: correct ${name}.region, or update aws-cdk-lib.`)
  }
  // CloudFormation has no origin access control of CloudFront in other partitions, and in GovCloud no CloudFront.
  if (region.partition !== 'aws') {
    throw new UserError(
      `The Region ${regionName} cannot hold the API reference, because CloudFormation cannot put CloudFront before ` +
        `a private bucket there: set ${name}.region to one outside China, GovCloud, the European Sovereign Cloud ` +
        'and isolated Regions.',
    )
  }
  if (domain !== undefined && domain.certificateArn.split(':')[3] !== regionName) {
    throw new UserError(`The certificate of ${name}.domain must be in the Region of the API, ${regionName}.`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(() => {
    createApp().synth()
  })
}
