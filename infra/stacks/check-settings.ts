import { Annotations } from 'aws-cdk-lib'
import { RegionInfo } from 'aws-cdk-lib/region-info'
import type { Construct } from 'constructs'
import { fixedPlans, type Limits, maximumPerMinute } from '../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { UserError } from '../command-line/user-error.ts'
import { calculateThrottle } from '../constructs/api/usage-plans.ts'
import { readContract } from '../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'
import type { ServiceStackProps } from './data-stack.ts'

/**
 * Checks for values that AWS or the service would refuse, alone or together with others, and that the types of the
 * settings allow.
 *
 * @throws UserError with a sentence that names the setting and says what to change
 */
export const checkSettings = (name: EnvironmentName, config: EnvironmentConfig): void => {
  checkBanPolicy(name, config)
  checkTexts(name, config)
  checkProtection(name, config)
  checkRelease(name, config)
  checkMethodThrottle(name, config)
  checkHostedZone(name, config)
  checkRegion(name, config)
}

/**
 * Checks that the table of keys can count the requests of each fixed plan.
 *
 * @throws UserError with a sentence that names the plan and says what to change
 */
export const checkPlans = (plans: Readonly<Record<string, Limits>> = fixedPlans): void => {
  for (const [plan, { perMinute }] of Object.entries(plans)) {
    if (perMinute <= maximumPerMinute) continue
    throw new UserError(
      `The plan ${plan} has ${perMinute} requests per minute, and the item of a key counts at most ` +
        `${maximumPerMinute}: lower it in shared/api-keys/plans.ts.`,
    )
  }
}

/** Longest ban that can be set: a day, because the bans of a key are counted anew each day. */
const maximumBanSeconds = 86_400

const checkBanPolicy = (name: EnvironmentName, { banPolicy }: EnvironmentConfig): void => {
  const check = (setting: string, value: number, minimum: number, maximum: number): void => {
    if (Number.isInteger(value) && value >= minimum && value <= maximum) return
    throw new UserError(
      `${name}.banPolicy.${setting} must be a whole number from ${minimum} to ${maximum}, and not ${value}.`,
    )
  }
  const { refusalsBeforeBan, firstBanSeconds, longestBanSeconds } = banPolicy

  check('refusalsBeforeBan', refusalsBeforeBan, 1, 1_000_000)
  check('longestBanSeconds', longestBanSeconds, 1, maximumBanSeconds)
  check('firstBanSeconds', firstBanSeconds, 1, longestBanSeconds)
}

/**
 * A host name as API Gateway takes it, of at most 253 characters and 63 between dots: in lower case, and without an
 * asterisk, because callers use it as it is.
 */
const hostNamePattern = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

const webAddressPattern = /^https:\/\/[^\s/]+\S*$/

const checkTexts = (name: EnvironmentName, config: EnvironmentConfig): void => {
  const check = (setting: string, value: string | undefined, pattern: RegExp, expected: string): void => {
    if (value === undefined || pattern.test(value)) return
    throw new UserError(`${name}.${setting} must be ${expected}, and not "${value}".`)
  }
  const { account, alarmEmail, contactUrl, domain, runbookUrl } = config

  check('account', account, /^\d{12}$/, 'the twelve digits of an AWS account')
  check('alarmEmail', alarmEmail, /^none$|^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address or none')
  // CloudWatch takes 1,024 characters of an alarm's description, which ends with this address.
  check('runbookUrl', runbookUrl, /^.{1,500}$/, 'an address of at most 500 characters')
  check('runbookUrl', runbookUrl, webAddressPattern, 'an address that begins with https://')
  check('contactUrl', contactUrl, /^mailto:[^\s@]+@[^\s@]+$|^https:\/\/[^\s/]+\S*$/, 'an https: or mailto: address')
  check('domain.name', domain?.name, hostNamePattern, 'a host name in lower case')
}

const checkProtection = (name: EnvironmentName, { data }: EnvironmentConfig): void => {
  if (name !== 'production' || data === 'protected') return
  throw new UserError('production.data must be protected: a mistake could delete the tables of production.')
}

const checkRelease = (name: EnvironmentName, { alarms, release }: EnvironmentConfig): void => {
  if (release !== 'canary' || alarms) return
  throw new UserError(
    `${name} has the release canary without alarms, so nothing would roll it back: ` +
      'set alarms to true, or release to all-at-once.',
  )
}

/** Checks that the throttle of a method admits all that the usage plan of the largest fixed plan admits. */
const checkMethodThrottle = (name: EnvironmentName, { methodThrottle }: EnvironmentConfig): void => {
  const perMinute = Math.max(...Object.values(fixedPlans).map((limits) => limits.perMinute))
  const { rateLimit, burstLimit } = calculateThrottle(perMinute)
  if (methodThrottle.requestsPerSecond >= rateLimit && methodThrottle.burst >= burstLimit) return
  throw new UserError(
    `${name}.methodThrottle would refuse a key of the largest fixed plan, ${perMinute} requests per minute: ` +
      `set requestsPerSecond to at least ${Math.ceil(rateLimit)}, and burst to at least ${burstLimit}.`,
  )
}

/** Checks that the zone of Route 53 can hold the record of the domain. */
const checkHostedZone = (name: EnvironmentName, { domain }: EnvironmentConfig): void => {
  const zone = domain?.hostedZone?.name
  if (zone === undefined || domain?.name === zone || domain?.name.endsWith(`.${zone}`)) return
  throw new UserError(`${name}.domain.name must end with the name of ${name}.domain.hostedZone, ${zone}.`)
}

/** Reads the Region of an environment, if it is known: the setting, or the Region of the credentials. */
const readRegion = ({ region }: EnvironmentConfig): string | undefined => region ?? process.env['CDK_DEFAULT_REGION']

/** Finds what CDK knows of a Region. It knows no Region that is newer than this version of CDK. */
const findRegionInfo = (regionName: string): RegionInfo | undefined =>
  RegionInfo.regions.find(({ name }) => name === regionName)

/** If the Region is known, checks that it can hold the reference page, and that it is the Region of the certificate. */
const checkRegion = (name: EnvironmentName, config: EnvironmentConfig): void => {
  const { domain, reference } = config
  const regionName = readRegion(config)
  if (regionName === undefined) return

  const partition = findRegionInfo(regionName)?.partition
  // In other partitions CloudFormation has no origin access control of CloudFront, and in GovCloud no CloudFront.
  if (reference && partition !== undefined && partition !== 'aws') {
    throw new UserError(
      `The Region ${regionName} cannot hold the API reference, because CloudFormation cannot put CloudFront before ` +
        `a private bucket there: set ${name}.reference to false, or ${name}.region to one outside China, GovCloud, ` +
        'the European Sovereign Cloud and isolated Regions.',
    )
  }
  // An ARN begins with `arn:<partition>:<service>:<Region>:`.
  const certificateRegion = domain?.certificateArn.split(':')[3]
  if (domain !== undefined && certificateRegion !== regionName) {
    throw new UserError(`The certificate of ${name}.domain must be in the Region of the API, ${regionName}.`)
  }
}

/** Time for which synth warns before the sunset of an operation: 90 days. */
const sunsetWarningMilliseconds = 90 * 24 * 3_600_000

/** Adds the warnings that each synth and each deployment of a stack shows. None of them stops a deployment. */
export const addWarnings = (
  stack: Construct,
  { environment, config }: ServiceStackProps,
  clock: Clock = systemClock,
): void => {
  const warn = (name: string, text: string): void => Annotations.of(stack).addWarningV2(`pet-adoption:${name}`, text)

  if (environment === 'production' && config.alarms && config.alarmEmail === undefined) {
    warn(
      'alarm-email',
      'Nobody receives the alarms of production: set alarmEmail in infra/environments.ts to an e-mail address, ' +
        'or to none if that is meant.',
    )
  }

  const region = readRegion(config)
  if (region !== undefined && findRegionInfo(region) === undefined) {
    warn('region', `CDK knows no AWS Region ${region}: correct ${environment}.region, unless the Region is new.`)
  }

  for (const { operationId, deprecation } of readContract().operations) {
    if (deprecation === undefined || clock() < Date.parse(deprecation.sunset) - sunsetWarningMilliseconds) continue
    warn('sunset', `${operationId} responds 404 from ${deprecation.sunset} on: tell its callers, then remove it.`)
  }
}
