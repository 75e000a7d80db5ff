import { RegionInfo } from 'aws-cdk-lib/region-info'
import { listed } from './command-line/nearest.ts'
import { UserError } from './command-line/user-error.ts'
import { type EnvironmentConfig, type EnvironmentName, environmentNames, environments, sizes } from './environments.ts'

type Change = Partial<EnvironmentConfig>

interface Option {
  readonly expects: string
  readonly accepts: RegExp | { readonly test: (value: string) => boolean }
  /** What a value changes of the configuration. */
  readonly change: (value: string, config: EnvironmentConfig) => Change
}

const onOrOff = (change: (on: boolean) => Change): Option => ({
  expects: 'on or off',
  accepts: /^(on|off)$/,
  change: (value) => change(value === 'on'),
})

/** One of the names of an object, each with its value there. */
const oneOf = <Value>(values: Readonly<Record<string, Value>>, change: (value: Value) => Change): Option => {
  const names = Object.keys(values)
  return {
    expects: listed(names),
    accepts: { test: (name) => names.includes(name) },
    change: (name) => Object.entries(values).flatMap(([one, value]) => (one === name ? [change(value)] : []))[0] ?? {},
  }
}

/**
 * The options that operators set without editing code: `cdk deploy 'staging/*' -c staging.alarmEmail=ops@example.org`.
 * They are applied in this order, so every other one wins over `size`.
 */
export const operatorOptions = {
  size: oneOf(sizes, (size) => size),
  account: {
    expects: 'the twelve digits of an AWS account',
    accepts: /^\d{12}$/,
    change: (account) => ({ account }),
  },
  region: {
    expects: 'an AWS Region, such as eu-central-1',
    accepts: { test: isRegion },
    change: (region) => ({ region }),
  },
  alarmEmail: {
    expects: 'an e-mail address',
    accepts: { test: isEmailAddress },
    change: (alarmEmail) => ({ alarmEmail }),
  },
  runbookUrl: {
    expects: 'the address of infra/README.md on the web, which begins with https:// and has no #',
    accepts: /^https:\/\/[^\s/#][^\s#]{0,500}$/,
    change: (runbookUrl) => ({ runbookUrl }),
  },
  contactUrl: {
    expects: 'an address that begins with https:// or mailto:, such as mailto:keys@example.org',
    accepts: { test: isContactAddress },
    change: (contactUrl) => ({ contactUrl }),
  },
  // Each of these two leaves the other one empty, which `checkDomain` refuses.
  domainName: {
    expects: 'a host name in lower case, such as api.example.org',
    accepts: /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    change: (name, { domain }) => ({ domain: { certificateArn: '', ...domain, name } }),
  },
  certificateArn: {
    expects: 'the ARN of a certificate of AWS Certificate Manager',
    accepts: /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/,
    change: (certificateArn, { domain }) => ({ domain: { name: '', ...domain, certificateArn } }),
  },
  reservedConcurrency: {
    expects: 'a whole number from 1 to 99999',
    accepts: /^[1-9]\d{0,4}$/,
    change: (value, { functions }) => ({ functions: { ...functions, reservedConcurrency: Number(value) } }),
  },
  requestsPerAddress: {
    expects: 'a whole number from 10 to 999999999, or off',
    accepts: /^([1-9]\d{1,8}|off)$/,
    change: (value) => ({ firewall: value === 'off' ? undefined : { requestsPerAddress: Number(value) } }),
  },
  monthlyBudget: {
    expects: 'a whole number of US dollars from 1 to 999999999',
    accepts: /^[1-9]\d{0,8}$/,
    change: (value) => ({ monthlyBudget: Number(value) }),
  },
  logRetentionDays: {
    // Some of those that CloudWatch Logs has.
    expects: '7, 14, 30, 60, 90, 180, 365, 731, 1827 or 3653',
    accepts: /^(7|14|30|60|90|180|365|731|1827|3653)$/,
    change: (value, { logs }) => ({ logs: { ...logs, retentionDays: Number(value) } }),
  },
  tracing: oneOf({ off: 'off', sampled: 'sampled', all: 'all' } as const, (tracing) => ({ tracing })),
  alarms: onOrOff((alarms) => ({ alarms })),
  dashboard: onOrOff((dashboard) => ({ dashboard })),
  topicKey: onOrOff((topicKey) => ({ topicKey })),
  probe: onOrOff((probe) => ({ probe })),
  release: oneOf({ 'all-at-once': 'all-at-once', canary: 'canary' } as const, (release) => ({ release })),
} as const satisfies Record<string, Option>

export type OptionName = keyof typeof operatorOptions

export const optionNames = Object.keys(operatorOptions).filter((name): name is OptionName => isOption(name))

/** The whole context of the app, including CDK's keys. */
type Context = Readonly<Record<string, unknown>>

/**
 * The configuration of an environment with the operator's options.
 *
 * @throws UserError for an unknown option, an invalid value, one of two options that belong together, a combination that
 *   leaves data of production unprotected, or one that needs alarms and has none
 */
export const configure = (
  environment: EnvironmentName,
  context: Context,
  defaults: EnvironmentConfig = environments[environment],
): EnvironmentConfig => {
  for (const key of Object.keys(context)) checkKey(key)
  let config = defaults
  for (const name of optionNames) {
    const value = context[`${environment}.${name}`]
    if (value === undefined) continue
    const { expects, accepts, change }: Option = operatorOptions[name]
    if (!accepts.test(String(value))) throw new UserError(`The option ${environment}.${name} must be ${expects}.`)
    config = { ...config, ...change(String(value), config) }
  }
  checkDomain(environment, config)
  checkCombination(environment, config)
  return config
}

const checkCombination = (environment: EnvironmentName, config: EnvironmentConfig): void => {
  const { deletionProtection, pointInTimeRecovery, keptAfterStack } = config.tables
  if (environment === 'production' && !(deletionProtection && pointInTimeRecovery && keptAfterStack)) {
    throw new UserError(
      'The tables of production must have deletionProtection, pointInTimeRecovery and keptAfterStack: its data would be unprotected.',
    )
  }
  const { alarms, release, probe } = config
  if (!alarms && (release === 'canary' || probe)) {
    const needs = release === 'canary' ? 'release=canary' : 'probe=on'
    throw new UserError(
      `${environment} has ${needs} with alarms=off: nobody would be notified, and nothing rolled back.`,
    )
  }
}

const checkDomain = (environment: EnvironmentName, { domain, region }: EnvironmentConfig): void => {
  if (domain === undefined) return
  if (domain.name === '' || domain.certificateArn === '') {
    throw new UserError(`Set ${environment}.domainName and ${environment}.certificateArn together, or neither.`)
  }
  if (region !== undefined && domain.certificateArn.split(':')[3] !== region) {
    throw new UserError(`The certificate of ${environment}.certificateArn must be in the Region of the API, ${region}.`)
  }
}

/** CDK's keys without a colon, a slash or an at sign, which all its other keys have. */
const shortKeysOfCdk: readonly string[] = ['acknowledged-issue-numbers', 'cli-telemetry', 'debug', 'tree']

const checkKey = (key: string): void => {
  const [environment = '', option, ...more] = key.split('.')
  const isOfEnvironment = environmentNames.some((name) => key.startsWith(name))
  if (!isOfEnvironment && (/[:/@]/.test(key) || shortKeysOfCdk.includes(key))) return
  if (option === undefined || more.length > 0 || !environmentNames.some((name) => name === environment)) {
    throw new UserError(
      `The context ${key} names no environment: write one of ${environmentNames.join(' and ')}, a dot and the option.`,
    )
  }
  if (!isOption(option)) {
    throw new UserError(`There is no option ${key}: the options of ${environment} are ${optionNames.join(', ')}.`)
  }
}

function isRegion(name: string): boolean {
  return RegionInfo.regions.some((region) => region.name === name)
}

/**
 * Checks the Region of a deployment, whether an option or only the credentials name it. CloudFormation has no origin access
 * control of CloudFront in the other partitions, in GovCloud no CloudFront at all. A Region that CDK does not know may be new.
 *
 * @throws UserError for a Region in another partition than `aws`
 */
export const requireCloudFront = (environment: EnvironmentName, region: string | undefined): void => {
  const partition = region === undefined ? undefined : RegionInfo.get(region).partition
  if (partition === undefined || partition === 'aws') return
  throw new UserError(
    `The Region ${region} cannot hold the API reference: CloudFormation cannot put CloudFront before a private bucket there. ` +
      `Set ${environment}.region to a Region that is not in China, GovCloud, the European Sovereign Cloud or isolated.`,
  )
}

function isEmailAddress(text: string): boolean {
  return /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/.test(text)
}

function isContactAddress(address: string): boolean {
  if (/^mailto:/.test(address)) return isEmailAddress(address.slice('mailto:'.length))
  return /^https:\/\/[^\s/]/.test(address) && URL.canParse(address) && !/\s/.test(address)
}

function isOption(name: string): name is OptionName {
  return Object.hasOwn(operatorOptions, name)
}
