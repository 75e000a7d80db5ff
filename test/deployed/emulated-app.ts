/** The CDK app as the emulator takes it: the service's own templates, but for what it refuses to create. */
import { fileURLToPath } from 'node:url'
import { type App, CfnResource } from 'aws-cdk-lib'
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch'
import { createApp } from '../../infra/app.ts'
import { unknownResourceTypes } from './known-differences.ts'

export const createEmulatedApp = (): App => {
  const app = createApp()
  for (const construct of app.node.findAll()) {
    if (construct instanceof CfnAlarm && construct.metrics !== undefined) watchOneMetric(construct)
    if (construct instanceof CfnResource) leaveOutUnknown(construct)
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

if (process.argv[1] === fileURLToPath(import.meta.url)) createEmulatedApp().synth()
