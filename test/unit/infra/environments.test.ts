import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../infra/app.ts'
import { defaults, type EnvironmentConfig, environments, presets } from '../../../infra/environments.ts'
import { EnvironmentStage } from '../../../infra/stacks/environment-stage.ts'
import { everyOption } from './synthesized.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-environments-'))
afterAll(() => rmSync(directory, { recursive: true }))

const withoutBundles = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true }

/** The stage of production with a change and what `-c` gives, without its bundles. */
const production = (change: Partial<EnvironmentConfig>, context = {}): EnvironmentStage => {
  const configs = { production: { ...defaults.production, ...change } }
  const [stage] = createApp(configs, { context: { ...withoutBundles, ...context } }).node.children
  if (stage instanceof EnvironmentStage) return stage
  throw new Error('There is no stage.')
}

/** `npm run check` and every synth compile this file: a line below that were accepted would be an error there. */
const mistyped: readonly Partial<EnvironmentConfig>[] = [
  // @ts-expect-error: a misspelt name
  { alarmMail: 'ops@example.org' },
  // @ts-expect-error: a misspelt value
  { release: 'canry' },
  // @ts-expect-error: half a domain
  { domain: { name: 'api.example.org' } },
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
    expect(mistyped).toHaveLength(8)
    expect(() => createApp(environments, { context: withoutBundles })).not.toThrow()
  })

  it.each<[Partial<EnvironmentConfig>, string]>([
    [{ data: 'disposable' }, 'production.data must be protected: a mistake could delete the tables of production.'],
    [{ alarms: false }, 'production has the release canary without alarms, so nothing would roll it back'],
    [{ ...presets.small, release: 'canary' }, 'production has the release canary without alarms'],
    [{ account: '12345' }, 'production.account must be the twelve digits of an AWS account.'],
    [
      { region: 'eu-central-9' },
      'CDK knows no AWS Region eu-central-9: correct production.region, or update aws-cdk-lib.',
    ],
    [{ region: 'cn-north-1' }, 'The Region cn-north-1 cannot hold the API reference'],
    [
      { region: 'eu-west-1', domain: everyOption.domain },
      'The certificate of production.domain must be in the Region of the API, eu-west-1.',
    ],
  ])('ends the synth, before it bundles anything, where production has %j', (change, sentence) => {
    const outdir = mkdtempSync(join(directory, 'out-'))
    const configs = { ...defaults, production: { ...defaults.production, ...change } }
    expect(() => createApp(configs, { outdir })).toThrow(sentence)
    expect(readdirSync(outdir)).toEqual([])
  })
})

describe('the command line', () => {
  it('sets the release of one deployment, and takes what CDK puts into the context', () => {
    const others = {
      'availability-zones:account=111122223333:region=eu-central-1': ['eu-central-1a'],
      'hosted-zone:account=111122223333:domainName=staging.example.org:region=eu-central-1': {},
      ...{ 'some.package/flag': true, 'acknowledged-issue-numbers': [], 'cli-telemetry': false },
    }
    const { config } = production({}, { ...others, 'production.release': 'all-at-once' })
    expect(config).toEqual({ ...defaults.production, release: 'all-at-once' })
  })

  it.each([
    ['stagin.release', 'canary'],
    ['production.release', 'canry'],
    ['production.alarmEmail', 'ops@example.org'],
  ])('ends the synth for -c %s=%s', (key, value) => {
    expect(() => createApp(environments, { context: { [key]: value } })).toThrow(
      `-c sets staging.release or production.release, to canary or all-at-once, and not ${key}=${value}: everything else stands in infra/environments.ts.`,
    )
  })
})

it.each<[Partial<EnvironmentConfig>, number]>([
  [{}, 1],
  [{ alarmEmail: 'none' }, 0],
  [{ alarmEmail: 'ops@example.org' }, 0],
  [presets.small, 0],
])('the synth of production with %j warns %i times that nobody receives its alarms', (change, warnings) => {
  const { metadata } = production(change).api.node
  expect(metadata.filter(({ data }) => String(data).includes('Nobody receives the alarms'))).toHaveLength(warnings)
})
