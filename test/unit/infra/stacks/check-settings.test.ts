import { readdirSync } from 'node:fs'
import { Stack } from 'aws-cdk-lib'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../../infra/app.ts'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { calculateThrottle } from '../../../../infra/constructs/api/usage-plans.ts'
import { defaults, type EnvironmentConfig, type EnvironmentName, presets } from '../../../../infra/environments.ts'
import { addWarnings, checkPlans, checkSettings } from '../../../../infra/stacks/check-settings.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { accountAndRegion, everyOption, withoutAssets } from '../../../fixtures/environment/templates.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

interface Mistake {
  readonly mistake: string
  readonly change: Partial<EnvironmentConfig>
  /** The beginning of the message. */
  readonly message: string
}

const { banPolicy } = defaults.production
const { domain } = everyOption

const largestPerMinute = Math.max(...Object.values(fixedPlans).map(({ perMinute }) => perMinute))
const { rateLimit, burstLimit } = calculateThrottle(largestPerMinute)
const tooLowThrottleMessage =
  `production.methodThrottle would refuse a key of the largest fixed plan, ${largestPerMinute} requests per minute: ` +
  `set requestsPerSecond to at least ${Math.ceil(rateLimit)}, and burst to at least ${burstLimit}.`

/** An address of 501 characters: the part before the path has 20. */
const longRunbookUrl = `https://example.org/${'a'.repeat(481)}` as const

const mistakes: readonly Mistake[] = [
  {
    mistake: 'disposable data',
    change: { data: 'disposable' },
    message: 'production.data must be protected: a mistake could delete the tables of production.',
  },
  {
    mistake: 'a canary release without alarms',
    change: { release: 'canary', alarms: false },
    message: 'production has the release canary without alarms, so nothing would roll it back:',
  },
  {
    mistake: 'a ban without a refusal',
    change: { banPolicy: { ...banPolicy, refusalsBeforeBan: 0 } },
    message: 'production.banPolicy.refusalsBeforeBan must be a whole number from 1 to 1000000, and not 0.',
  },
  {
    mistake: 'a negative length of a ban',
    change: { banPolicy: { ...banPolicy, firstBanSeconds: -60 } },
    message: 'production.banPolicy.firstBanSeconds must be a whole number from 1 to 3600, and not -60.',
  },
  {
    mistake: 'a first ban that is longer than the longest',
    // The first ban has 60 s.
    change: { banPolicy: { ...banPolicy, longestBanSeconds: 59 } },
    message: 'production.banPolicy.firstBanSeconds must be a whole number from 1 to 59, and not 60.',
  },
  {
    mistake: 'a ban of more than a day',
    change: { banPolicy: { ...banPolicy, longestBanSeconds: 86_401 } },
    message: 'production.banPolicy.longestBanSeconds must be a whole number from 1 to 86400, and not 86401.',
  },
  {
    mistake: 'a method throttle whose burst is smaller than that of the largest plan',
    change: { methodThrottle: { requestsPerSecond: 2_000, burst: burstLimit - 1 } },
    message: tooLowThrottleMessage,
  },
  {
    mistake: 'a method throttle whose rate is lower than that of the largest plan',
    change: { methodThrottle: { requestsPerSecond: Math.ceil(rateLimit) - 1, burst: burstLimit } },
    message: tooLowThrottleMessage,
  },
  {
    mistake: 'an account of five digits',
    change: { account: '12345' },
    message: 'production.account must be the twelve digits of an AWS account, and not "12345".',
  },
  {
    mistake: 'an e-mail address with a space',
    change: { alarmEmail: 'the team@example.org' },
    message: 'production.alarmEmail must be an e-mail address or none, and not "the team@example.org".',
  },
  {
    mistake: 'an address of the runbook with a space',
    change: { runbookUrl: 'https://example.org/the guide' },
    message:
      'production.runbookUrl must be an address that begins with https://, and not "https://example.org/the guide".',
  },
  {
    mistake: 'an address of the runbook that leaves an alarm no room for its description',
    change: { runbookUrl: longRunbookUrl },
    message: `production.runbookUrl must be an address of at most 500 characters, and not "${longRunbookUrl}".`,
  },
  {
    mistake: 'an address of the contact without a host',
    change: { contactUrl: 'https:///keys' },
    message: 'production.contactUrl must be an https: or mailto: address, and not "https:///keys".',
  },
  {
    mistake: 'a domain in upper case',
    change: { domain: { ...domain, name: 'API.example.org' }, region: 'eu-central-1' },
    message: 'production.domain.name must be a host name in lower case, and not "API.example.org".',
  },
  {
    mistake: 'a domain with an asterisk',
    change: { domain: { ...domain, name: '*.example.org' }, region: 'eu-central-1' },
    message: 'production.domain.name must be a host name in lower case, and not "*.example.org".',
  },
  {
    mistake: 'a hosted zone that cannot hold the domain',
    // The name of the domain, api.example.org, ends with these letters, but not with this host name.
    change: {
      domain: { ...domain, hostedZone: { id: 'Z0123456789ABCDEFGHIJ', name: 'ample.org' } },
      region: 'eu-central-1',
    },
    message: 'production.domain.name must end with the name of production.domain.hostedZone, ample.org.',
  },
  {
    mistake: 'the reference in a Region in China',
    change: { region: 'cn-north-1', reference: true },
    message:
      'The Region cn-north-1 cannot hold the API reference, because CloudFormation cannot put CloudFront before a ' +
      'private bucket there',
  },
  {
    mistake: 'a certificate in another Region',
    change: { region: 'eu-west-1', domain },
    message: 'The certificate of production.domain must be in the Region of the API, eu-west-1.',
  },
]

describe('the settings', () => {
  it.each(mistakes)('checkSettings refuses $mistake', ({ change, message }) => {
    const check = () => checkSettings('production', { ...defaults.production, ...change })

    expect(check).toThrow(UserError)
    expect(check).toThrow(message)
  })

  it('checkPlans refuses a plan with more requests per minute than the item of a key can count', () => {
    const check = () => checkPlans({ huge: { perMinute: 30_001, perDay: 1_000_000 } })

    const message =
      'The plan huge has 30001 requests per minute, and the item of a key counts at most 30000: ' +
      'lower it in shared/api-keys/plans.ts.'
    expect(check).toThrow(new UserError(message))
  })

  it('checkPlans accepts a plan with as many requests per minute as the item of a key can count', () => {
    expect(() => checkPlans({ large: { perMinute: 30_000, perDay: 1_000_000 } })).not.toThrow()
  })

  it('a mistake in the settings stops the app before it writes anything', () => {
    const outdir = createTemporaryFolder()
    const configs = { staging: defaults.staging, production: { ...defaults.production, account: '12345' } } as const

    expect(() => createApp(configs, { outdir, context: withoutAssets })).toThrow(UserError)

    expect(readdirSync(outdir)).toEqual([])
  })

  const smallest: Partial<EnvironmentConfig> = {
    banPolicy: { refusalsBeforeBan: 1, firstBanSeconds: 1, longestBanSeconds: 1 },
    methodThrottle: { requestsPerSecond: Math.ceil(rateLimit), burst: burstLimit },
  }
  const largest: Partial<EnvironmentConfig> = {
    banPolicy: { refusalsBeforeBan: 1_000_000, firstBanSeconds: 86_400, longestBanSeconds: 86_400 },
    runbookUrl: `https://example.org/${'a'.repeat(480)}`,
    contactUrl: 'mailto:keys@example.org',
    alarmEmail: 'none',
  }

  it.each<{ readonly settings: string; readonly change: Partial<EnvironmentConfig> }>([
    { settings: 'the smallest values', change: smallest },
    { settings: 'the largest values', change: largest },
    { settings: 'a Region in China', change: { region: 'cn-north-1', reference: false } },
    { settings: 'every option', change: { ...everyOption, ...accountAndRegion } },
  ])('checkSettings accepts $settings in production', ({ change }) => {
    expect(() => checkSettings('production', { ...defaults.production, ...change })).not.toThrow()
  })
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
  // CDK adds to each warning the id by which it can be acknowledged.
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
