import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stack, Validations } from 'aws-cdk-lib'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { expect, it, vi } from 'vitest'
import { createApp } from '../../../../infra/app.ts'
import { defaults } from '../../../../infra/environments.ts'
import { accountAndRegion, everyOption, withoutAssets } from '../../../fixtures/templates.ts'

const untraced =
  'With tracing any caller can force a trace, which has a price, for each request. The operator turns it on.'
const byCdk = 'CDK chooses the runtime and the permissions of its function, which runs in deployments only.'

/** What the packs find and the service means, by rule and the path of the construct, with the reason. */
const exceptions: readonly (readonly [finding: RegExp, reason: string])[] = [
  [/APIG2 .*RestApi/, 'The functions validate each request against the contract, and say what to change.'],
  [/APIG3 staging/, 'Without a firewall the throttle of each method limits the cost of a flood.'],
  [/APIG6 .*RestApi/, 'The access log has a line for every request; execution logs would have no retention.'],
  [/COG4 .*RestApi/, 'Callers have API keys, which the Lambda authorizer checks, and no user accounts.'],
  [/IAM4.*AmazonAPIGatewayPushToCloudWatchLogs\] /, 'API Gateway rejects a role for its logs with fewer permissions.'],
  [/IAM4.*AWSCodeDeployRoleForLambdaLimited\] .*release-/, "CDK's role of CodeDeploy has AWS's policy for functions."],
  [/DDB3 staging/, 'The data of this environment may be lost, and continuous backups have a price.'],
  [/APIGWXrayEnabled staging/, untraced],
  [/LambdaTracing staging\/api/, untraced],
  [/IAM5\[Resource::\*\] .*\/api\/[\w-]+\/Role/, 'The actions of X-Ray support no resource.'],
  [/IAM5\[Resource::\S+:\/(apikeys|tags)\/\*\] .*gateway-keys/, 'The ids of the keys are not known, but their tag is.'],
  [/LambdaDLQ .*\/api\//, 'API Gateway waits for the response; what a failed run of a schedule left, the next does.'],
  [/LambdaAsyncFailureDestination .*gateway-keys/, 'The next run does what a failed one has not done.'],
  [/EventBusDLQ .*gateway-keys/, 'The next event comes in 15 minutes.'],
  [/SNSRedrivePolicy .*Alarms/, 'An alarm on the queue would notify the address that did not get the message.'],
  [/S1 .*reference\/Bucket/, 'CloudFront alone reads the bucket, and each of its files is public there.'],
  [/CFR1 .*Distribution/, 'The API has no geographic restriction, so neither has its reference.'],
  [/CFR2 .*Distribution/, 'It serves only files, no request runs code, and AWS Shield Standard is always on.'],
  [/CFR3 .*Distribution/, 'The page is public and the same for everybody, so nobody needs a record of its readers.'],
  [/CFR4 .*Distribution/, "CloudFront's domain fixes the minimum TLS version, and no API key is sent to it."],
  [/(L1|IAM4|IAM5|Serverless-Lambda).* .*CDKBucketDeployment/, byCdk],
]

it('the rules of AWS find no fault with the environments beyond the exceptions, which are all needed, and one with a careless stack', () => {
  // What staging has turned off, production has turned on.
  const production = { ...defaults.production, ...everyOption, ...accountAndRegion }
  const app = createApp({ staging: defaults.staging, production }, { context: withoutAssets })
  new Topic(new Stack(app, 'careless'), 'Topic')
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
  vi.spyOn(console, 'error').mockImplementation(() => {})
  // Synth fails when a pack finds something.
  expect(() => app.synth()).toThrow()
  const { pluginReports } = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8'))
  const findings: string[] = []
  for (const { pluginName, violations } of pluginReports) {
    if (!['AwsSolutions', 'Serverless'].includes(pluginName)) continue
    for (const { ruleName, violatingConstructs } of violations)
      for (const { constructPath } of violatingConstructs) findings.push(`${ruleName} ${constructPath}`)
  }
  const faults = findings.filter((finding) => !exceptions.some(([pattern]) => pattern.test(finding)))
  expect(faults).toEqual(['AwsSolutions-SNS3 careless/Topic/Resource'])
  expect(exceptions.filter(([pattern]) => !findings.some((finding) => pattern.test(finding)))).toEqual([])
})
