/** Findings of other people's checks in the templates: those of cdk-nag and of cfn-lint. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stack, Validations } from 'aws-cdk-lib'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { beforeAll, expect, it, vi } from 'vitest'
import { createApp } from '../../../../infra/app.ts'
import { defaults, presets } from '../../../../infra/environments.ts'
import { accountAndRegion, createStage, everyOption, withoutAssets } from '../../../fixtures/environment/templates.ts'
import { chooseBySize, shouldSkip, shouldSkipWithout } from '../../../fixtures/machine/size.ts'

interface Exception {
  /** Matches a rule, a space and the path of a construct. */
  readonly finding: RegExp
  readonly reason: string
}

/** Reason for both findings about tracing. */
const tracingReason =
  'With tracing any caller can force a trace, which has a price, for each request. The operator turns it on.'

/** Findings of cdk-nag that the service accepts. */
const exceptions: readonly Exception[] = [
  {
    finding: /APIG2 .*RestApi/,
    reason: 'The functions validate each request against the contract, and say what to change.',
  },
  {
    finding: /APIG3 staging/,
    reason: 'Without a firewall the throttle of each method limits the cost of a flood.',
  },
  {
    finding: /APIG6 .*RestApi/,
    reason: 'The access log has a line for every request; execution logs would have no retention.',
  },
  {
    finding: /COG4 .*RestApi/,
    reason: 'Callers have API keys, which the Lambda authorizer checks, and no user accounts.',
  },
  {
    finding: /IAM4.*AmazonAPIGatewayPushToCloudWatchLogs\] /,
    reason: 'API Gateway rejects a role for its logs with fewer permissions.',
  },
  {
    finding: /IAM4.*AWSCodeDeployRoleForLambdaLimited\] .*ReleaseRole/,
    reason: "AWS's policy for a release of functions is the one that CodeDeploy documents.",
  },
  {
    finding: /DDB3 staging/,
    reason: 'The data of this environment may be lost, and continuous backups have a price.',
  },
  {
    finding: /APIGWXrayEnabled staging/,
    reason: tracingReason,
  },
  {
    finding: /LambdaTracing staging\/api/,
    reason: tracingReason,
  },
  {
    finding: /IAM5\[Resource::\*\] .*\/api\/[\w-]+\/Role/,
    reason: 'The actions of X-Ray support no resource.',
  },
  {
    finding: /IAM5\[Resource::\S+:\/apikeys\/\*\] .*gateway-keys/,
    reason: 'The ids of the keys are not known, but their tag is.',
  },
  {
    finding: /IAM5\[Resource::\S+%2Fapikeys%2F<\*>\] .*gateway-keys/,
    reason: 'The variable stands for an asterisk that is no wildcard.',
  },
  {
    finding: /LambdaDLQ .*\/api\//,
    reason: 'API Gateway waits for the response. The next scheduled run does what a failed one has not done.',
  },
  {
    finding: /LambdaAsyncFailureDestination .*gateway-keys/,
    reason: 'The next run does what a failed one has not done.',
  },
  {
    finding: /EventBusDLQ .*gateway-keys/,
    reason: 'The next event comes in 15 minutes.',
  },
  {
    finding: /SNSRedrivePolicy .*Alarms/,
    reason: 'An alarm on the queue would notify the address that did not get the message.',
  },
  {
    finding: /S1 .*reference\/Bucket/,
    reason: 'Only CloudFront reads the bucket, and each of its files is public there.',
  },
  {
    finding: /CFR1 .*Distribution/,
    reason: 'The API has no geographic restriction, so neither has its reference.',
  },
  {
    finding: /CFR2 .*Distribution/,
    reason: 'CloudFront serves only files, no request runs code, and AWS Shield Standard is always on.',
  },
  {
    finding: /CFR3 .*Distribution/,
    reason: 'The page is public and the same for everybody, so nobody needs a record of its readers.',
  },
  {
    finding: /CFR4 .*Distribution/,
    reason: "CloudFront's domain fixes the minimum TLS version, and no API key is sent to it.",
  },
  {
    finding: /(L1|IAM4|IAM5|Serverless-Lambda).* .*CDKBucketDeployment/,
    reason: 'CDK chooses the runtime and the permissions of its function, which runs in deployments only.',
  },
]

interface Violation {
  readonly ruleName: string
  readonly violatingConstructs: readonly { readonly constructPath: string }[]
}

interface PluginReport {
  readonly pluginName: string
  readonly violations: readonly Violation[]
}

/** Findings of the packs AwsSolutions and Serverless, each a rule, a space and the path of a construct. */
const findings: string[] = []

beforeAll(() => {
  // Production turns on every option, staging turns none on.
  const production = { ...defaults.production, ...everyOption, ...accountAndRegion }
  const app = createApp({ staging: defaults.staging, production }, { context: withoutAssets })
  // A stack with a fault shows that the packs run.
  new Topic(new Stack(app, 'careless'), 'Topic')
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))

  const consoleError = vi.spyOn(console, 'error').mockImplementation(() => {})
  // The synth writes a report, prints it, and throws, because the packs find something.
  expect(() => app.synth()).toThrow()
  consoleError.mockRestore()

  const reportFile = join(app.outdir, 'validation-report.json')
  const { pluginReports }: { readonly pluginReports: readonly PluginReport[] } = JSON.parse(
    readFileSync(reportFile, 'utf8'),
  )
  const packReports = pluginReports.filter(({ pluginName }) => ['AwsSolutions', 'Serverless'].includes(pluginName))
  for (const { ruleName, violatingConstructs } of packReports.flatMap(({ violations }) => violations)) {
    for (const { constructPath } of violatingConstructs) findings.push(`${ruleName} ${constructPath}`)
  }
})

it('cdk-nag finds nothing but the exceptions, and the fault of the careless stack', () => {
  const faults = findings.filter((text) => !exceptions.some(({ finding }) => finding.test(text)))

  expect(faults).toEqual(['AwsSolutions-SNS3 careless/Topic/Resource'])
})

it.each(exceptions)('cdk-nag still finds what the exception $finding allows', ({ finding }) => {
  expect(findings.some((text) => finding.test(text))).toBe(true)
})

/** Rule against a DependsOn that a reference implies anyway. CDK writes it for roles of functions. It does no harm. */
const redundantDependency = 'W3005'

const isLintSkipped =
  shouldSkip(chooseBySize(true, false), 'The templates are not linted: "TEST_SIZE=full npm test" lints them.') ||
  shouldSkipWithout(
    spawnSync('sh', ['-c', 'command -v cfn-lint']).status === 0,
    'The templates are not linted: there is no cfn-lint.',
  )

it.skipIf(isLintSkipped)('cfn-lint finds no fault in the templates for any Region', () => {
  const stages = [
    createStage('production', { ...everyOption, ...accountAndRegion }),
    createStage('staging'),
    createStage('production'),
    createStage('production', presets.small),
  ]
  // Each template once: some stages have the same data stack or reference stack.
  const templates = new Map<string, string>()
  for (const { template, templateFullPath } of stages.flatMap((stage) => stage.synth().stacks)) {
    templates.set(JSON.stringify(template), templateFullPath)
  }

  const options = ['--ignore-checks', redundantDependency, '--regions', 'ALL_REGIONS', '--']
  const { error, stdout, stderr } = spawnSync('cfn-lint', [...options, ...templates.values()], { encoding: 'utf8' })

  expect(error).toBeUndefined()
  const reports = (stdout + stderr).split('\n\n').filter((report) => report !== '')
  // The reference cannot be deployed in the partitions of China, GovCloud and isolated Regions, so a finding that one
  // of its resources does not exist there is no fault.
  const faults = reports.filter((report) => !/not exist in '(cn|us-gov|us-iso)/.test(report))
  expect(faults).toEqual([])
})
