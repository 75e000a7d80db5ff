/**
 * The CDK app as the emulator takes it: the service's own templates, but for what it refuses to create. With `--changed` it
 * has changes that an operator might make: staging bans a key after its first refusal, and production is small.
 */
import { fileURLToPath } from 'node:url'
import { type App, CfnResource } from 'aws-cdk-lib'
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch'
import { buildSync } from 'esbuild'
import { createApp } from '../../../infra/app.ts'
import { defaults, presets } from '../../../infra/environments.ts'
import { unknownResourceTypes } from '../known-differences.ts'

const createEmulatedApp = (): App => {
  const { staging, production } = defaults
  const banPolicy = { ...staging.banPolicy, refusalsBeforeBan: 1 }
  const changed = { staging: { ...staging, banPolicy }, production: { ...production, ...presets.small } }
  const app = createApp(process.argv.includes('--changed') ? changed : defaults)
  for (const construct of app.node.findAll()) {
    if (construct instanceof CfnAlarm && construct.metrics !== undefined) watchOneMetric(construct)
    if (!(construct instanceof CfnResource)) continue
    leaveOutUnknown(construct)
    if (construct.cfnResourceType === 'AWS::Lambda::Function' && construct.node.path.includes('/Custom::')) {
      standIn(construct)
    }
    // The first statement refuses requests without TLS. The emulator counts those of CloudFront as such.
    if (construct.cfnResourceType === 'AWS::S3::BucketPolicy') {
      construct.addPropertyDeletionOverride('PolicyDocument.Statement.0')
    }
  }
  return app
}

/** The emulator has no alarms on metric math. */
const watchOneMetric = (alarm: CfnAlarm): void => {
  alarm.metrics = undefined
  alarm.namespace = 'AWS/ApiGateway'
  alarm.metricName = 'Count'
  alarm.statistic = 'Sum'
  alarm.period = 300
}

/** What refers to such a resource still finds one: a resource that is nothing but a name. */
const leaveOutUnknown = (resource: CfnResource): void => {
  // CodeDeploy shifts an alias; without it the alias moves at once.
  resource.addDeletionOverride('UpdatePolicy')
  if (!Object.hasOwn(unknownResourceTypes, resource.cfnResourceType)) return
  resource.addOverride('Type', 'AWS::CloudFormation::WaitConditionHandle')
  resource.addDeletionOverride('Properties')
}

const standInCode = (() => {
  const entryPoints = [fileURLToPath(new URL('bucket-stand-in.ts', import.meta.url))]
  const { outputFiles } = buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', write: false })
  return outputFiles[0]?.text
})()

/** One of CDK's own functions for custom resources, which the emulator cannot run. */
const standIn = (lambda: CfnResource): void => {
  lambda.addPropertyOverride('Code', { ZipFile: standInCode })
  lambda.addPropertyOverride('Runtime', 'nodejs24.x')
  lambda.addPropertyOverride('Handler', 'index.handler')
  lambda.addPropertyDeletionOverride('Layers')
}

createEmulatedApp().synth()
