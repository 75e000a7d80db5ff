/**
 * The CDK app as the emulator takes it: the service's own templates, but for what it refuses to create. With `--changed` it
 * has changes that an operator might make: staging bans a key after its first refusal, and production is small.
 */
import { readFileSync } from 'node:fs'
import { CfnResource } from 'aws-cdk-lib'
import { createApp } from '../../../infra/app.ts'
import { defaults, presets } from '../../../infra/environments.ts'

const { staging, production } = defaults
const changed = {
  staging: { ...staging, banPolicy: { ...staging.banPolicy, refusalsBeforeBan: 1 } },
  production: { ...production, ...presets.small },
}

const standIn = readFileSync(new URL('bucket_stand_in.py', import.meta.url), 'utf8')

/** The types of resources that the emulator does not know, and what is not tested for that reason. */
const unknownResourceTypes: Readonly<Record<string, string>> = {
  'AWS::CodeDeploy::Application': 'The canary release: on the emulator a new version takes all traffic at once.',
  'AWS::CodeDeploy::DeploymentGroup': 'The canary release and its roll-back by alarms.',
  'AWS::Logs::QueryDefinition': 'The saved queries: the emulator has no Logs Insights.',
  'AWS::WAFv2::WebACLAssociation': 'The web firewall: on the emulator it stands beside the API and sees no request.',
}

const adapt = (resource: CfnResource): void => {
  const { cfnResourceType: type, node } = resource
  // What refers to such a resource still finds one: a resource that is nothing but a name.
  if (Object.hasOwn(unknownResourceTypes, type)) {
    resource.addOverride('Type', 'AWS::CloudFormation::WaitConditionHandle')
    resource.addDeletionOverride('Properties')
  }
  // CodeDeploy shifts an alias; without it the alias moves at once.
  resource.addDeletionOverride('UpdatePolicy')
  // The emulator has no alarms on metric math: each watches one metric.
  if (type === 'AWS::CloudWatch::Alarm') {
    resource.addPropertyDeletionOverride('Metrics')
    resource.addPropertyOverride('Namespace', 'AWS/ApiGateway')
    resource.addPropertyOverride('MetricName', 'Count')
  }
  // It cannot run CDK's own functions for custom resources.
  if (type === 'AWS::Lambda::Function' && node.path.includes('/Custom::')) {
    resource.addPropertyOverride('Code', { ZipFile: standIn })
    resource.addPropertyDeletionOverride('Layers')
  }
  // The first statement refuses requests without TLS. The emulator counts those of CloudFront as such.
  if (type === 'AWS::S3::BucketPolicy') resource.addPropertyDeletionOverride('PolicyDocument.Statement.0')
}

const app = createApp(process.argv.includes('--changed') ? changed : defaults)
for (const construct of app.node.findAll()) if (CfnResource.isCfnResource(construct)) adapt(construct)
app.synth()
