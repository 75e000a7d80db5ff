import { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../infra/app.ts'
import { defaults, type EnvironmentConfig, environments, presets } from '../../../infra/environments.ts'
import { createStage, everyOption, withoutAssets } from '../../fixtures/templates.ts'

it('the app needs no network, no credentials and no lookup in an account, sends no usage data, and tags its stacks', () => {
  const connect = vi.spyOn(Socket.prototype, 'connect').mockImplementation(() => {
    throw new Error('There is no network.')
  })
  for (const name of Object.keys(process.env).filter((one) => one.startsWith('AWS_'))) vi.stubEnv(name, undefined)
  const configs = { ...defaults, production: { ...defaults.production, alarmEmail: 'none' } as const }
  const stacks = createApp(configs, { context: withoutAssets }).synth().stacksRecursively
  expect(connect).not.toHaveBeenCalled()
  const names = Object.keys(configs).flatMap((name) => ['api', 'data', 'reference'].map((stack) => `${name}/${stack}`))
  expect(stacks.map(({ hierarchicalId }) => hierarchicalId).toSorted()).toEqual(names.toSorted())
  for (const { hierarchicalId, assembly, template, tags } of stacks) {
    expect(assembly.manifest.missing ?? []).toEqual([])
    expect(JSON.stringify(template)).not.toContain('AWS::CDK::Metadata')
    expect(tags).toEqual({ service: 'pet-adoption', environment: hierarchicalId.split('/')[0] })
  }
})

/** `npm run check` and every synth compile this file: a line below that were accepted would be an error there. */
const mistyped: readonly Partial<EnvironmentConfig>[] = [
  // @ts-expect-error: a certificate of another service
  { domain: { ...everyOption.domain, certificateArn: 'arn:aws:iam::111122223333:server-certificate/api' } },
  // @ts-expect-error: no address
  { alarmEmail: 'nobody' },
  // @ts-expect-error: no Region
  { region: 'Frankfurt' },
  // @ts-expect-error: days that CloudWatch does not have
  { logRetentionDays: 31 },
  // @ts-expect-error: an address that browsers would call insecure
  { runbookUrl: 'http://example.org/infra/README.md' },
]

describe('infra/environments.ts', () => {
  it('refuses by its types what is mistyped, and has no environment whose values do not fit each other', () => {
    expect(mistyped).toHaveLength(5)
    expect(() => createApp(environments, { context: withoutAssets })).not.toThrow()
  })

  it.each<[Partial<EnvironmentConfig>, string]>([
    [{ data: 'disposable' }, 'production.data must be protected: a mistake could delete the tables of production.'],
    [{ alarms: false }, 'production has the release canary without alarms, so nothing would roll it back'],
    [{ account: '12345' }, 'production.account must be the twelve digits of an AWS account.'],
    [{ region: 'eu-central-9' }, 'CDK knows no AWS Region eu-central-9: correct production.region'],
    [{ region: 'cn-north-1' }, 'The Region cn-north-1 cannot hold the API reference'],
    [{ region: 'eu-west-1', domain: everyOption.domain }, 'must be in the Region of the API, eu-west-1.'],
  ])('ends the synth where production has %j', (change, sentence) => {
    expect(() => createStage('production', change)).toThrow(sentence)
  })

  it.each<[Partial<EnvironmentConfig>, number]>([
    [{}, 1],
    [{ alarmEmail: 'none' }, 0],
    [{ alarmEmail: 'ops@example.org' }, 0],
    [presets.small, 0],
  ])('with %j in production has the synth warn %i times that nobody receives its alarms', (change, warnings) => {
    const { metadata } = createStage('production', change).api.node
    expect(metadata.filter(({ data }) => String(data).includes('Nobody receives the alarms'))).toHaveLength(warnings)
  })
})

describe('the command line', () => {
  it('sets the release of one deployment, and takes what CDK puts into the context', () => {
    const others = {
      'availability-zones:account=111122223333:region=eu-central-1': ['eu-central-1a'],
      'hosted-zone:account=111122223333:domainName=staging.example.org:region=eu-central-1': {},
      ...{ 'some.package/flag': true, 'acknowledged-issue-numbers': [], 'cli-telemetry': false },
    }
    const { config } = createStage('production', {}, { ...others, 'production.release': 'all-at-once' })
    expect(config).toEqual({ ...defaults.production, release: 'all-at-once' })
  })

  it.each([
    ['stagin.release', 'canary'],
    ['production.release', 'canry'],
    ['production.alarmEmail', 'ops@example.org'],
  ])('ends the synth for -c %s=%s', (key, value) => {
    const create = () => createApp(environments, { context: { [key]: value } })
    expect(create).toThrow(`and not ${key}=${value}: everything else stands in infra/environments.ts.`)
  })
})
