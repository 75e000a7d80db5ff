import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { scopes } from '../../../shared/api-keys/api-key-record.ts'
import { type Allowance, fixedPlans, maximumPerMinute, type Plan, planNames } from '../../../shared/api-keys/plans.ts'
import { decimalNumber, readNumber, wholeNumber } from '../../command-line/options.ts'
import { isPrintable } from '../../command-line/printable.ts'
import { withoutKeys } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { smokeOwner } from '../target/smoke-owner.ts'

/** DynamoDB would take more, but no key makes ten billion requests a day. */
const largestPerDay = 10_000_000_000
const maximumOverlapHours = 24 * 30
const secondsPerHour = 3_600
const maximumLength = 100

export const keyStates = ['active', 'expired', 'revoked'] as const

export const planOption = () => new Option('--plan <name>', 'its plan').choices(planNames)
export const perMinuteOption = () =>
  new Option('--per-minute <n>', 'enterprise: its limit per minute').argParser(readPerMinute)
export const perDayOption = () =>
  new Option('--per-day <n>', 'enterprise: its limit per day').argParser(wholeNumber(1, largestPerDay))
export const ownerOption = () => new Option('--owner <name>', 'its owner').argParser(readOwner)
export const contactOption = () =>
  new Option('--contact <text>', 'how to reach the owner; "" for nothing').argParser((text) =>
    text === '' ? text : readText(text),
  )
export const scopeOption = () =>
  new Option('--scope <name>', 'what it may do').choices(scopes).default('read-write' as const)
export const expiresOption = (now: number) =>
  new Option('--expires <date>', 'the day from which it does not work, such as 2030-12-31 (UTC)').argParser((text) =>
    readDay(text, now),
  )
export const overlapOption = () =>
  new Option('--overlap-hours <n>', 'how long the key still works (default: 24)').argParser((text) =>
    Math.round(decimalNumber(0, maximumOverlapHours)(text) * secondsPerHour),
  )
export const stateOption = () => new Option('--state <name>', 'only such keys').choices(keyStates)

interface Limits {
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
}

/** @throws UserError where the limits do not fit the plan */
export const readAllowance = (plan: Plan, { perMinute, perDay }: Limits): Allowance => {
  if (plan === 'enterprise') {
    if (perMinute === undefined || perDay === undefined) {
      throw new UserError('An enterprise key has its own limits: give both --per-minute N and --per-day N.')
    }
    if (perMinute > perDay) throw new UserError('--per-minute is more than --per-day: no minute could use it.')
    return { perMinute, perDay }
  }
  if (perMinute !== undefined || perDay !== undefined) {
    throw new UserError(`The limits of ${plan} are fixed; only enterprise takes --per-minute and --per-day.`)
  }
  return fixedPlans[plan]
}

function readPerMinute(text: string): number {
  if (readNumber(text) > maximumPerMinute) {
    throw new InvalidArgumentError(
      `One key makes at most ${maximumPerMinute} requests a minute. Issue several keys and share the requests among them.`,
    )
  }
  return wholeNumber(1, maximumPerMinute)(text)
}

function readOwner(text: string): string {
  if (text.trim().toLowerCase() === smokeOwner) {
    throw new InvalidArgumentError('The smoke test revokes all keys of this owner. Name another one.')
  }
  return readText(text)
}

function readText(text: string): string {
  if (text.trim() === '' || text.length > maximumLength) {
    throw new InvalidArgumentError(`It must have 1 to ${maximumLength} characters.`)
  }
  if (!isPrintable(text)) throw new InvalidArgumentError('It takes no control, format or line-separator characters.')
  if (withoutKeys(text) !== text) throw new InvalidArgumentError('It must not contain an API key.')
  return text
}

const readDay = (text: string, now: number): number => {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // A date such as 30 February is another day.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(text)) {
    throw new InvalidArgumentError('It must be a day, such as 2030-12-31.')
  }
  if (time <= now) throw new InvalidArgumentError('It must be a day after today.')
  return time / 1_000
}
