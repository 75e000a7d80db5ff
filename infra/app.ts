import { fileURLToPath } from 'node:url'
import { App, type AppProps } from 'aws-cdk-lib'
import recommended from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
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
 * The CDK app, not yet synthesized: one stage for each environment. It calls nothing on AWS.
 *
 * @throws UserError when a configuration is wrong, or the Region cannot hold the service
 */
export const createApp = (
  configs: Partial<Readonly<Record<EnvironmentName, EnvironmentConfig>>> = environments,
  props: AppProps = {},
): App => {
  const app = new App({
    analyticsReporting: cdk.versionReporting,
    ...props,
    // All that CDK recommends to new projects, but for what cdk.json says. The `cdk` command sets the rest too: set here, it
    // gives the same templates to every other caller. The metadata tell the SAM CLI where the bundle of a function is.
    context: { ...recommended, ...cdk.context, 'aws:cdk:enable-asset-metadata': true, ...props.context },
  })
  checkContext(app.node.getAllContext())
  const stages = environmentNames.flatMap((name) => {
    const config = configs[name]
    const release: EnvironmentConfig['release'] = app.node.tryGetContext(`${name}.release`) ?? config?.release
    return config === undefined ? [] : [[name, { ...config, release }] as const]
  })
  // All before any, as the bundles of a stage take seconds.
  for (const [name, config] of stages) checkEnvironment(name, config)
  for (const [name, config] of stages) new EnvironmentStage(app, name, config)
  return app
}

/** `-c production.release=all-at-once` is for one deployment. No key of CDK's own is two words with a dot. */
const checkContext = (context: Readonly<Record<string, unknown>>): void => {
  const keys = environmentNames.map((name) => `${name}.release`)
  for (const [key, value] of Object.entries(context)) {
    if (!/^[\w-]+\.[\w-]+$/.test(key) || (keys.includes(key) && releases.some((name) => name === value))) continue
    throw new UserError(
      `-c sets ${keys.join(' or ')}, to ${releases.join(' or ')}, and not ${key}=${value}: everything else stands in infra/environments.ts.`,
    )
  }
}

/** Checks what no type can: values that must fit each other, and the Region, which may be that of the credentials. */
const checkEnvironment = (name: EnvironmentName, config: EnvironmentConfig): void => {
  const { account, alarms, data, domain, region = process.env['CDK_DEFAULT_REGION'], release } = config
  const known = RegionInfo.regions.find((one) => one.name === region)
  const mistakes: readonly (readonly [isMade: boolean, sentence: string])[] = [
    [
      name === 'production' && data !== 'protected',
      'production.data must be protected: a mistake could delete the tables of production.',
    ],
    [
      release === 'canary' && !alarms,
      `${name} has the release canary without alarms, so nothing would roll it back: set alarms to true, or release to all-at-once.`,
    ],
    [
      account !== undefined && !/^\d{12}$/.test(account),
      `${name}.account must be the twelve digits of an AWS account.`,
    ],
    [
      region !== undefined && known === undefined,
      `CDK knows no AWS Region ${region}: correct ${name}.region, or update aws-cdk-lib.`,
    ],
    [
      // CloudFormation has no origin access control of CloudFront in the other partitions, in GovCloud no CloudFront at all.
      known !== undefined && known.partition !== 'aws',
      `The Region ${region} cannot hold the API reference, because CloudFormation cannot put CloudFront before a private bucket there: set ${name}.region to one outside China, GovCloud, the European Sovereign Cloud and isolated Regions.`,
    ],
    [
      region !== undefined && domain !== undefined && domain.certificateArn.split(':')[3] !== region,
      `The certificate of ${name}.domain must be in the Region of the API, ${region}.`,
    ],
  ]
  for (const [isMade, sentence] of mistakes) if (isMade) throw new UserError(sentence)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(() => {
    createApp().synth()
  })
}
