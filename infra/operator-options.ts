import { RegionInfo } from 'aws-cdk-lib/region-info'
import { UserError } from './command-line/user-error.ts'
import { type EnvironmentConfig, type EnvironmentName, environmentNames, environments } from './environments.ts'

interface Option {
  readonly expects: string
  readonly accepts: RegExp | { readonly test: (value: string) => boolean }
}

/** The options that operators set without editing code: `cdk deploy 'staging/*' -c staging.alarmEmail=ops@example.org`. */
export const operatorOptions = {
  account: { expects: 'the twelve digits of an AWS account', accepts: /^\d{12}$/ },
  region: { expects: 'an AWS Region, such as eu-central-1', accepts: { test: isRegion } },
  alarmEmail: { expects: 'an e-mail address', accepts: /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/ },
  runbookUrl: {
    expects: 'the address of infra/README.md on the web, which begins with https:// and has no #',
    accepts: /^https:\/\/[^\s/#][^\s#]{0,500}$/,
  },
  contactUrl: {
    expects: 'an address that begins with https:// or mailto:, such as mailto:keys@example.org',
    accepts: { test: isContactAddress },
  },
  domainName: {
    expects: 'a host name in lower case, such as api.example.org',
    accepts: /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
  },
  certificateArn: {
    expects: 'the ARN of a certificate of AWS Certificate Manager',
    accepts: /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/,
  },
  reservedConcurrency: { expects: 'a whole number from 1 to 99999', accepts: /^[1-9]\d{0,4}$/ },
  requestsPerAddress: { expects: 'a whole number from 10 to 999999999', accepts: /^[1-9]\d{1,8}$/ },
  monthlyBudget: { expects: 'a whole number of US dollars from 1 to 999999999', accepts: /^[1-9]\d{0,8}$/ },
  tracing: { expects: 'on or off', accepts: /^(on|off)$/ },
  release: { expects: 'all-at-once or canary', accepts: /^(all-at-once|canary)$/ },
} as const satisfies Record<string, Option>

export type OptionName = keyof typeof operatorOptions

const optionNames = Object.keys(operatorOptions).filter((name): name is OptionName => isOption(name))

/** The whole context of the app, including CDK's keys. */
type Context = Readonly<Record<string, unknown>>

/**
 * The configuration of an environment with the operator's options.
 *
 * @throws UserError for an unknown option, an invalid value, or one of two options that belong together
 */
export const configure = (environment: EnvironmentName, context: Context): EnvironmentConfig => {
  for (const key of Object.keys(context)) checkKey(key)
  const given = (name: OptionName): string | undefined => {
    const value = context[`${environment}.${name}`]
    if (value === undefined) return undefined
    const { expects, accepts } = operatorOptions[name]
    if (!accepts.test(String(value))) throw new UserError(`The option ${environment}.${name} must be ${expects}.`)
    return String(value)
  }
  const config = environments[environment]
  const [account, region, alarmEmail] = [given('account'), given('region'), given('alarmEmail')]
  const [reservedConcurrency, requestsPerAddress] = [given('reservedConcurrency'), given('requestsPerAddress')]
  const [release, contactUrl, runbookUrl] = [given('release'), given('contactUrl'), given('runbookUrl')]
  const [monthlyBudget, tracing] = [given('monthlyBudget'), given('tracing')]
  const domain = readDomain(environment, given('domainName'), given('certificateArn'), region ?? config.region)
  return {
    ...config,
    ...(account !== undefined && { account }),
    ...(region !== undefined && { region }),
    ...(alarmEmail !== undefined && { alarmEmail }),
    ...(contactUrl !== undefined && { contactUrl }),
    ...(runbookUrl !== undefined && { runbookUrl }),
    ...(domain !== undefined && { domain }),
    ...(requestsPerAddress !== undefined && { firewall: { requestsPerAddress: Number(requestsPerAddress) } }),
    ...(monthlyBudget !== undefined && { monthlyBudget: Number(monthlyBudget) }),
    ...(tracing !== undefined && { tracing: tracing === 'on' }),
    ...(release !== undefined && { release: release === 'canary' ? ('canary' as const) : ('all-at-once' as const) }),
    functions: {
      ...config.functions,
      ...(reservedConcurrency !== undefined && { reservedConcurrency: Number(reservedConcurrency) }),
    },
  }
}

const readDomain = (
  environment: EnvironmentName,
  name: string | undefined,
  certificateArn: string | undefined,
  region: string | undefined,
): EnvironmentConfig['domain'] => {
  if (name === undefined && certificateArn === undefined) return undefined
  if (name === undefined || certificateArn === undefined) {
    throw new UserError(`Set ${environment}.domainName and ${environment}.certificateArn together, or neither.`)
  }
  if (region !== undefined && certificateArn.split(':')[3] !== region) {
    throw new UserError(`The certificate of ${environment}.certificateArn must be in the Region of the API, ${region}.`)
  }
  return { name, certificateArn }
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

function isContactAddress(address: string): boolean {
  if (/^mailto:/.test(address)) return operatorOptions.alarmEmail.accepts.test(address.slice('mailto:'.length))
  return /^https:\/\/[^\s/]/.test(address) && URL.canParse(address) && !/\s/.test(address)
}

function isOption(name: string): name is OptionName {
  return Object.hasOwn(operatorOptions, name)
}
