import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RegionInfo } from 'aws-cdk-lib/region-info'
import { UserError } from './command-line/user-error.ts'
import { type EnvironmentConfig, type EnvironmentName, environmentNames, environments } from './environments.ts'
import { isOption, type Option, operatorOptions, optionNames } from './operator-options.ts'

/** Options by environment and name, such as `production.alarmEmail`, as in the context of the CDK app. */
export type Settings = Readonly<Record<string, string | number>>

/** The file with the settings that each deployment has. The variable is for tests, which must not depend on them. */
export const settingsFile = (): string =>
  process.env['PET_ADOPTION_SETTINGS'] ?? fileURLToPath(new URL('settings.json', import.meta.url))

/** @throws UserError where the file is not as its schema says; `configure` checks the options */
export const readSettings = (file: string = settingsFile()): Settings => {
  const refuse = (reason: string) => new UserError(`${relative(process.cwd(), file)} ${reason}`)
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw refuse(`is not readable: ${error instanceof Error ? error.message : error}`)
  }
  const parts = Object.entries(content ?? {}).filter(([name]) => name !== '$schema')
  return Object.fromEntries(
    parts.flatMap(([environment, options]: [string, unknown]) => {
      if (!environmentNames.some((name) => name === environment) || typeof options !== 'object' || options === null) {
        throw refuse(`must hold the options of ${environmentNames.join(' and ')}, and has ${environment}.`)
      }
      return Object.entries(options).map(([option, value]: [string, unknown]) => {
        if (option === 'remove') {
          throw refuse(`must not hold ${option}: add -c ${environment}.${option}=... to the one deployment.`)
        }
        if (typeof value === 'string' || typeof value === 'number') return [`${environment}.${option}`, value]
        throw refuse(`must give ${environment}.${option} a text or a number.`)
      })
    }),
  )
}

/** The Region of an environment, where the settings name one; else AWS's SDK finds it. For a client of the SDK. */
export const regionOf = (environment: EnvironmentName): { readonly region?: string } => {
  const { region } = configure(environment, readSettings())
  return region === undefined ? {} : { region }
}

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
      `The option ${key} names no environment: write one of ${environmentNames.join(' and ')}, a dot and the option.`,
    )
  }
  if (!isOption(option)) {
    throw new UserError(`There is no option ${key}: the options of ${environment} are ${optionNames.join(', ')}.`)
  }
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
