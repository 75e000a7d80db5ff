import { RegionInfo } from 'aws-cdk-lib/region-info'
import { listed } from './command-line/nearest.ts'
import { type EnvironmentConfig, type Removable, removable, sizes } from './environments.ts'

type Change = Partial<EnvironmentConfig>

export interface Option {
  readonly expects: string
  readonly accepts: RegExp | { readonly test: (value: string) => boolean }
  /** Where there are few. */
  readonly values?: readonly string[]
  /** What a value changes of the configuration. */
  readonly change: (value: string, config: EnvironmentConfig) => Change
  /** The value of a configuration; without it there is none. */
  readonly show: (config: EnvironmentConfig) => string | number | undefined
}

type TextOption = 'account' | 'region' | 'alarmEmail' | 'runbookUrl' | 'contactUrl'

const text = (name: TextOption, expects: string, accepts: Option['accepts']): Option => ({
  expects,
  accepts,
  // TypeScript forgets which names a computed property can have.
  change: (value) => ({ [name]: value }) as Change,
  show: (config) => config[name],
})

/** One of the names of an object, each with its value there. */
const oneOf = <Value>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Change,
  show: Option['show'],
): Option => {
  const names = Object.keys(values)
  return {
    expects: listed(names),
    accepts: { test: (name) => names.includes(name) },
    values: names,
    change: (name) => Object.entries(values).flatMap(([one, value]) => (one === name ? [change(value)] : []))[0] ?? {},
    show,
  }
}

const onOrOff = (name: 'alarms' | 'dashboard' | 'topicKey' | 'probe'): Option =>
  oneOf(
    { on: true, off: false },
    (on) => ({ [name]: on }) as Change,
    (config) => (config[name] ? 'on' : 'off'),
  )

/**
 * The options that operators set without editing code, in infra/settings.json or for one command:
 * `cdk deploy 'staging/*' -c staging.alarmEmail=ops@example.org`. They are applied in this order, so every other one wins
 * over `size`.
 */
export const operatorOptions = {
  size: oneOf(
    sizes,
    (size) => size,
    () => 'standard',
  ),
  account: text('account', 'the twelve digits of an AWS account', /^\d{12}$/),
  region: text('region', 'an AWS Region, such as eu-central-1', { test: isRegion }),
  alarmEmail: text('alarmEmail', 'an e-mail address, or none', {
    test: (value) => value === 'none' || isEmailAddress(value),
  }),
  runbookUrl: text(
    'runbookUrl',
    'the address of infra/README.md on the web, which begins with https:// and has no #',
    /^https:\/\/[^\s/#][^\s#]{0,500}$/,
  ),
  contactUrl: text('contactUrl', 'an address that begins with https:// or mailto:, such as mailto:keys@example.org', {
    test: isContactAddress,
  }),
  // Each of these two leaves the other one empty, which `checkDomain` refuses.
  domainName: {
    expects: 'a host name in lower case, such as api.example.org',
    accepts: /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    change: (name, { domain }) => ({ domain: { certificateArn: '', ...domain, name } }),
    show: ({ domain }) => domain?.name,
  },
  certificateArn: {
    expects: 'the ARN of a certificate of AWS Certificate Manager',
    accepts: /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/,
    change: (certificateArn, { domain }) => ({ domain: { name: '', ...domain, certificateArn } }),
    show: ({ domain }) => domain?.certificateArn,
  },
  reservedConcurrency: {
    expects: 'a whole number from 1 to 99999',
    accepts: /^[1-9]\d{0,4}$/,
    change: (value, { functions }) => ({ functions: { ...functions, reservedConcurrency: Number(value) } }),
    show: ({ functions }) => functions.reservedConcurrency,
  },
  requestsPerAddress: {
    expects: 'a whole number from 10 to 999999999, or off',
    accepts: /^([1-9]\d{1,8}|off)$/,
    change: (value) => ({ firewall: value === 'off' ? undefined : { requestsPerAddress: Number(value) } }),
    show: ({ firewall }) => firewall?.requestsPerAddress ?? 'off',
  },
  monthlyBudget: {
    expects: 'a whole number of US dollars from 1 to 999999999',
    accepts: /^[1-9]\d{0,8}$/,
    change: (value) => ({ monthlyBudget: Number(value) }),
    show: ({ monthlyBudget }) => monthlyBudget,
  },
  logRetentionDays: {
    // Some of those that CloudWatch Logs has.
    expects: '7, 14, 30, 60, 90, 180, 365, 731, 1827 or 3653',
    accepts: /^(7|14|30|60|90|180|365|731|1827|3653)$/,
    change: (value, { logs }) => ({ logs: { ...logs, retentionDays: Number(value) } }),
    show: ({ logs }) => logs.retentionDays,
  },
  tracing: oneOf(
    { off: 'off', sampled: 'sampled', all: 'all' } as const,
    (tracing) => ({ tracing }),
    ({ tracing }) => tracing,
  ),
  alarms: onOrOff('alarms'),
  dashboard: onOrOff('dashboard'),
  topicKey: onOrOff('topicKey'),
  probe: onOrOff('probe'),
  release: oneOf(
    { 'all-at-once': 'all-at-once', canary: 'canary' } as const,
    (release) => ({ release }),
    ({ release }) => release,
  ),
  remove: {
    expects: `one or more of ${listed(removable)}, separated by commas`,
    accepts: { test: (value) => value.split(',').every(isRemovable) },
    change: (value) => ({ mayRemove: value.split(',').filter(isRemovable) }),
    show: () => undefined,
  },
} as const satisfies Record<string, Option>

export type OptionName = keyof typeof operatorOptions

export const optionNames = Object.keys(operatorOptions).filter((name): name is OptionName => isOption(name))

/** Those that stay for the next deployment. */
export const settingNames = optionNames.filter((name) => name !== 'remove')

function isRegion(name: string): boolean {
  return RegionInfo.regions.some((region) => region.name === name)
}

function isEmailAddress(text: string): boolean {
  return /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/.test(text)
}

function isContactAddress(address: string): boolean {
  if (/^mailto:/.test(address)) return isEmailAddress(address.slice('mailto:'.length))
  return /^https:\/\/[^\s/]/.test(address) && URL.canParse(address) && !/\s/.test(address)
}

function isRemovable(name: string): name is Removable {
  return removable.some((one) => one === name)
}

export function isOption(name: string): name is OptionName {
  return Object.hasOwn(operatorOptions, name)
}
