import { CloudAssembly, type CloudFormationStackArtifact } from 'aws-cdk-lib/cx-api'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../infra/app.ts'
import { type EnvironmentConfig, environmentNames, environments } from '../../../infra/environments.ts'
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

  it('the CDK app has four stacks for each environment', () => {
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
  })

  it('the CDK app tags each stack with the service and the environment', () => {
    for (const { hierarchicalId, tags } of stacks) {
      expect(tags, hierarchicalId).toEqual({ service: 'pet-adoption', environment: hierarchicalId.split('/')[0] })
    }
  })

  it('the CDK app sends no usage data to CDK', () => {
    for (const { template } of stacks) expect(JSON.stringify(template)).not.toContain('AWS::CDK::Metadata')
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

it.each([
  { mistake: 'an unknown environment', key: 'stagin.release', value: 'all-at-once' },
  { mistake: 'an unknown release', key: 'production.release', value: 'all-at-onec' },
  { mistake: 'a setting other than the release', key: 'production.alarmEmail', value: 'ops@example.org' },
])('createApp throws for $mistake in -c $key=$value', ({ key, value }) => {
  expect(() => createApp(environments, { context: { [key]: value } })).toThrow(
    `-c sets staging.release or production.release to all-at-once, and not ${key}=${value}: ` +
      'everything else stands in infra/environments.ts.',
  )
})
