/**
 * Synthesizes each version of the service, without the parts that the emulator fails to create, into a folder of its
 * name.
 *
 *     node test/deployed/emulator/emulated-app.ts FOLDER
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CfnResource, CfnWaitCondition, CfnWaitConditionHandle, type Stack } from 'aws-cdk-lib'
import { createApp } from '../../../infra/app.ts'
import { ApiStack } from '../../../infra/stacks/api-stack.ts'
import { versions } from './cdk.ts'

/** Folder with the code of CDK's functions for custom resources. */
const handlerFolder = new URL('../../../node_modules/aws-cdk-lib/custom-resource-handlers/dist/', import.meta.url)

const readHandler = (path: string): string => readFileSync(new URL(path, handlerFolder), 'utf8')

const readAddition = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Code of CDK's function that uploads files, with an addition for the emulator. */
const uploadFunction = [
  readHandler('aws-s3-deployment/bucket-deployment-handler/index.py'),
  readAddition('aws_cli.py'),
].join('\n')

/** Code of CDK's function that empties a bucket, with an addition for the emulator. */
const emptyingFunction = [
  readAddition('custom-resource-response.cjs'),
  readHandler('aws-s3/auto-delete-objects-handler/index.js'),
].join('\n')

/** Resource types that the emulator does not know, each with the parts that are not tested for that reason. */
const unknownResourceTypes: Readonly<Record<string, string>> = {
  'AWS::CodeDeploy::Application': 'The canary release: on the emulator a new version takes all traffic at once.',
  'AWS::CodeDeploy::DeploymentGroup': 'The canary release and its rollback by alarms.',
  'AWS::Logs::QueryDefinition': 'The saved queries: the emulator has no Logs Insights.',
  'AWS::WAFv2::WebACLAssociation': 'The web firewall: on the emulator it stands beside the API and sees no request.',
}

/** Removes the parts of a resource that the emulator fails to create. */
const adaptResource = (resource: CfnResource): void => {
  const { cfnResourceType: type, node } = resource

  // A wait condition handle is nothing but a name. Other resources can refer to it.
  if (Object.hasOwn(unknownResourceTypes, type)) {
    resource.addOverride('Type', 'AWS::CloudFormation::WaitConditionHandle')
    resource.addDeletionOverride('Properties')
  }

  // Without CodeDeploy an alias moves to a new version at once.
  resource.addDeletionOverride('UpdatePolicy')

  // The emulator has no alarms on metric math, so each alarm watches one metric.
  if (type === 'AWS::CloudWatch::Alarm') {
    resource.addPropertyDeletionOverride('Metrics')
    resource.addPropertyOverride('Namespace', 'AWS/ApiGateway')
    resource.addPropertyOverride('MetricName', 'Count')
  }

  // CDK's functions for custom resources get the code with the additions for the emulator.
  if (type === 'AWS::Lambda::Function' && node.path.includes('/Custom::CDKBucketDeployment')) {
    resource.addPropertyOverride('Code', { ZipFile: uploadFunction })
  }
  if (type === 'AWS::Lambda::Function' && node.path.includes('/Custom::S3AutoDeleteObjects')) {
    resource.addPropertyOverride('Code', { ZipFile: emptyingFunction })
    resource.addPropertyOverride('Environment.Variables.NODE_PATH', join(process.cwd(), 'node_modules'))
  }

  // The first statement denies requests without TLS. On the emulator CloudFront makes such requests.
  if (type === 'AWS::S3::BucketPolicy') {
    resource.addPropertyDeletionOverride('PolicyDocument.Statement.0')
  }
}

/**
 * Lets the creation of a stack fail when all its other resources have been created: nobody signals the wait condition,
 * so it ends after a second.
 */
const addFailure = (stack: Stack): void => {
  const otherConstructs = stack.node.children
  const handle = new CfnWaitConditionHandle(stack, 'FailureHandle')
  const failure = new CfnWaitCondition(stack, 'Failure', { handle: handle.ref, timeout: '1' })
  failure.node.addDependency(...otherConstructs)
}

const [, , folder = ''] = process.argv
for (const [version, configs] of Object.entries(versions)) {
  const app = createApp(configs, { outdir: join(folder, version) })
  for (const construct of app.node.findAll()) {
    if (CfnResource.isCfnResource(construct)) adaptResource(construct)
    if (version === 'failing' && construct instanceof ApiStack) addFailure(construct)
  }
  app.synth()
}
