import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../infra/app.ts'
import { functionNames } from '../../../infra/bundling/function-bundle.ts'
import {
  defaults,
  type EnvironmentConfig,
  environmentNames,
  environments,
  presets,
} from '../../../infra/environments.ts'
import { EnvironmentStage } from '../../../infra/stacks/environment-stage.ts'
import { assemblyFolder } from '../../../infra/synthesis/synthesize.ts'
import { everyOption } from './synthesized.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-app-'))

const withoutBundles = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true }

/** The stage of production with a change and what `-c` gives, without its bundles. */
const production = (change: Partial<EnvironmentConfig>, context = {}): EnvironmentStage => {
  const configs = { production: { ...defaults.production, ...change } }
  const [stage] = createApp(configs, { context: { ...withoutBundles, ...context } }).node.children
  if (stage instanceof EnvironmentStage) return stage
  throw new Error('There is no stage.')
}

describe('the app', () => {
  const outdir = join(folder, 'synthesized')
  const connect = vi.spyOn(Socket.prototype, 'connect')
  beforeAll(() => {
    connect.mockImplementation(() => {
      throw new Error('There is no network.')
    })
    for (const name of Object.keys(process.env).filter((one) => one.startsWith('AWS_'))) vi.stubEnv(name, undefined)
    const configs = { ...defaults, production: { ...defaults.production, alarmEmail: 'none' as const } }
    createApp(configs, { context: withoutBundles, outdir }).synth()
  })

  it('needs no network, no credentials and no lookup in an account, and sends no usage data', () => {
    expect(connect).not.toHaveBeenCalled()
    const names = readdirSync(outdir, { recursive: true, encoding: 'utf8' })
    const read = (name: string): string => readFileSync(join(outdir, name), 'utf8')
    const manifests = names.filter((name) => name.endsWith('manifest.json'))
    expect(manifests.filter((name) => 'missing' in JSON.parse(read(name)))).toEqual([])
    const templates = names.filter((name) => name.endsWith('.template.json'))
    expect(templates.length).toBeGreaterThan(4)
    expect(templates.filter((name) => read(name).includes('AWS::CDK::Metadata'))).toEqual([])
  })

  it.each(environmentNames)(
    'has a stage %s with its data apart, and its name as a tag of each stack',
    (environment) => {
      const manifest = readFileSync(join(outdir, `assembly-${environment}/manifest.json`), 'utf8')
      const stacks = Object.values<{ type: string; displayName: string; properties: { tags: unknown } }>(
        JSON.parse(manifest).artifacts,
      ).filter(({ type }) => type === 'aws:cloudformation:stack')
      const names = ['api', 'data', 'reference'].map((stack) => `${environment}/${stack}`)
      expect(stacks.map(({ displayName }) => displayName).sort()).toEqual(names)
      for (const { properties } of stacks) expect(properties.tags).toEqual({ service: 'pet-adoption', environment })
    },
  )

  it('carries one bundle for each function', () => {
    const names = readdirSync(assemblyFolder(), { recursive: true, encoding: 'utf8' })
    // CDK's own functions come without a `package.json`.
    const bundles = names.filter((name) => /\basset\.[0-9a-f]{64}\/package\.json$/.test(name))
    expect(bundles).toHaveLength(functionNames().length)
  })
})

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
    const outdir = mkdtempSync(join(folder, 'out-'))
    const configs = { ...defaults, production: { ...defaults.production, ...change } }
    expect(() => createApp(configs, { outdir })).toThrow(sentence)
    expect(readdirSync(outdir)).toEqual([])
  })

  it.each<[Partial<EnvironmentConfig>, number]>([
    [{}, 1],
    [{ alarmEmail: 'none' }, 0],
    [{ alarmEmail: 'ops@example.org' }, 0],
    [presets.small, 0],
  ])('with %j in production has the synth warn %i times that nobody receives its alarms', (change, warnings) => {
    const { metadata } = production(change).api.node
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
