import { Stack } from 'aws-cdk-lib'
import { CloudAssembly, type CloudFormationStackArtifact } from 'aws-cdk-lib/cx-api'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../infra/app.ts'
import {
  defaults,
  type EnvironmentConfig,
  type EnvironmentName,
  environmentNames,
  environments,
  presets,
} from '../../../infra/environments.ts'
import { addWarnings } from '../../../infra/stacks/add-warnings.ts'
import { checkSettings } from '../../../infra/stacks/check-settings.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { everyOption, withoutAssets } from '../../fixtures/environment/templates.ts'
import { runNode } from '../../fixtures/machine/node-process.ts'
import { createTemporaryFolder } from '../../fixtures/machine/temporary-folder.ts'

/** Keys that CDK puts into the context. */
const cdkContext = {
  'availability-zones:account=111122223333:region=eu-central-1': ['eu-central-1a'],
  'hosted-zone:account=111122223333:domainName=staging.example.org:region=eu-central-1': {},
  'some.package/flag': true,
  'acknowledged-issue-numbers': [],
  'cli-telemetry': false,
}

describe('the synthesized CDK app', () => {
  let synthesis: Awaited<ReturnType<typeof runNode>>
  let stacks: readonly CloudFormationStackArtifact[] = []
  const outdir = createTemporaryFolder()

  beforeAll(async () => {
    const awsVariables = Object.keys(process.env).filter((name) => name.startsWith('AWS_'))
    for (const name of awsVariables) vi.stubEnv(name, undefined)
    const variables = {
      // The folder has no file with credentials.
      HOME: createTemporaryFolder(),
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify({ ...withoutAssets, ...cdkContext, 'production.release': 'all-at-once' }),
    }

    synthesis = await runNode(['test/unit/infra/synthesize-without-network.ts'], variables)

    stacks = new CloudAssembly(outdir).stacksRecursively
  })

  it('the CDK app needs no credentials and opens no network connection', () => {
    expect(synthesis.exitCode).toBe(0)
    expect(synthesis.errors).not.toContain('A network connection was attempted.')
  })

  it('the CDK app has four stacks for each environment, and looks up nothing in an AWS account', () => {
    expect(stacks.map(({ hierarchicalId }) => hierarchicalId).toSorted()).toEqual([
      'production/account',
      'production/api',
      'production/data',
      'production/reference',
      'staging/account',
      'staging/api',
      'staging/data',
      'staging/reference',
    ])
    for (const { assembly } of stacks) expect(assembly.manifest.missing ?? []).toEqual([])
  })

  it('the CDK app tags each stack with the service and the environment', () => {
    for (const { hierarchicalId, tags } of stacks) {
      expect(tags, hierarchicalId).toEqual({ service: 'pet-adoption', environment: hierarchicalId.split('/')[0] })
    }
  })

  it('the CDK app sends no usage data to CDK', () => {
    for (const { template } of stacks) expect(JSON.stringify(template)).not.toContain('AWS::CDK::Metadata')
  })

  it('-c sets the release of one deployment, beside the keys that CDK puts into the context', () => {
    expect(defaults.production.release).toBe('canary')

    const api = stacks.find(({ hierarchicalId }) => hierarchicalId === 'production/api')
    expect(JSON.stringify(api?.template)).not.toContain('AWS::CodeDeploy')
  })

  it('cdk synth without the name of a stack warns once that nobody receives the alarms of production', async () => {
    const [_node, ...command] = packageJson.scripts.synth.split(' ')

    // The app has already been synthesized, so neither the check of the types nor the app needs to run.
    const args = [...command, '--build', '', '--app', outdir]
    // CDK's report of its validation has the warnings. Other tests do without it.
    const { output, errors } = await runNode(args, { CDK_VALIDATION: 'true' })

    expect((output + errors).match(/Nobody receives the alarms of production: set alarmEmail/g)).toHaveLength(1)
  })
})

/**
 * Settings that are mistyped. `npm run check` compiles this file: if the types accepted one of them, its
 * `@ts-expect-error` would be an error. The constant is exported because the compiler refuses one that nothing uses.
 */
export const mistypedSettings: readonly Partial<EnvironmentConfig>[] = [
  // @ts-expect-error: a certificate of another service
  { domain: { ...everyOption.domain, certificateArn: 'arn:aws:iam::111122223333:server-certificate/api' } },
  // @ts-expect-error: not an e-mail address
  { alarmEmail: 'nobody' },
  // @ts-expect-error: not a Region
  { region: 'Frankfurt' },
  // @ts-expect-error: a number of days that CloudWatch does not offer
  { logRetentionDays: 31 },
  // @ts-expect-error: an address that browsers would call insecure
  { runbookUrl: 'http://example.org/infra/RUNBOOK.md' },
]

it.each(environmentNames)('the settings of %s in infra/environments.ts fit each other', (name) => {
  expect(() => checkSettings(name, environments[name])).not.toThrow()
})

/** Finds the texts of the warnings that the stacks of an environment show. */
const findWarnings = (
  environment: EnvironmentName,
  config: EnvironmentConfig,
  time = '2030-01-01',
): readonly string[] => {
  const stack = new Stack()
  addWarnings(stack, { environment, config }, () => Date.parse(time))
  const warnings = stack.node.metadata.filter(({ type }) => type === 'aws:cdk:warning')
  return warnings.map(({ data }) => String(data).replace(/ \[ack: .*\]$/, ''))
}

describe('the warnings', () => {
  it.each<{ readonly setting: string; readonly change: Partial<EnvironmentConfig> }>([
    { setting: 'alarmEmail is none', change: { alarmEmail: 'none' } },
    { setting: 'alarmEmail is an address', change: { alarmEmail: 'ops@example.org' } },
    { setting: 'the preset small turns the alarms off', change: presets.small },
  ])('production has no warning about its alarms if $setting', ({ change }) => {
    expect(findWarnings('production', { ...defaults.production, ...change })).toEqual([])
  })

  it('an environment warns of a Region that this version of CDK does not know', () => {
    expect(findWarnings('staging', { ...defaults.staging, region: 'eu-central-9' })).toEqual([
      'CDK knows no AWS Region eu-central-9: correct staging.region, unless the Region is new.',
    ])
  })

  it.each([
    { time: '2030-09-05T23:59:59Z', expected: [] },
    {
      time: '2030-09-06T00:00:00Z',
      expected: ['getPet responds 404 from 2030-12-05 on: tell its callers, then remove it.'],
    },
  ])('at $time, 90 days before a sunset or earlier, the warnings are $expected', ({ time, expected }) => {
    expect(findWarnings('staging', defaults.staging, time)).toEqual(expected)
  })
})

it.each([
  { mistake: 'an unknown environment', key: 'stagin.release', value: 'canary' },
  { mistake: 'an unknown release', key: 'production.release', value: 'canry' },
  { mistake: 'a setting other than the release', key: 'production.alarmEmail', value: 'ops@example.org' },
])('createApp throws for $mistake in -c $key=$value', ({ key, value }) => {
  expect(() => createApp(environments, { context: { [key]: value } })).toThrow(
    `-c sets staging.release or production.release, to canary or all-at-once, and not ${key}=${value}: ` +
      'everything else stands in infra/environments.ts.',
  )
})
