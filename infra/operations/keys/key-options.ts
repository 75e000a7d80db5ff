import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type Allowance, fixedPlans, maximumPerMinute, type Plan, planNames } from '../../../shared/api-keys/plans.ts'
import type { Clock } from '../../../shared/clock.ts'
import { wholeNumber } from '../../command-line/options.ts'
import { isPrintable } from '../../command-line/printable.ts'
import { withoutKeys } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { smokeOwner } from '../target/smoke-owner.ts'

/** DynamoDB would take more, but no key makes ten billion requests a day. */
const largestPerDay = 10_000_000_000
const maximumLength = 100

export const planOption = () => new Option('--plan <name>', 'its plan').choices(planNames)
export const perMinuteOption = () =>
  new Option(
    '--per-minute <n>',
    'enterprise: its limit per minute; who needs more than 30,000 gets several keys',
  ).argParser(wholeNumber(1, maximumPerMinute))
export const perDayOption = () =>
  new Option('--per-day <n>', 'enterprise: its limit per day').argParser(wholeNumber(1, largestPerDay))
export const ownerOption = () => new Option('--owner <name>', 'its owner').argParser(readOwner)
export const contactOption = () =>
  new Option('--contact <text>', 'how to reach the owner; "" for nothing').argParser((text) =>
    text === '' ? text : readText(text),
  )

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

/** @returns Unix seconds */
export const readDay =
  (clock: Clock) =>
  (text: string): number => {
    const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
    // A date such as 30 February is another day.
    if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(text)) {
      throw new InvalidArgumentError('It must be a day, such as 2030-12-31.')
    }
    if (time <= clock()) throw new InvalidArgumentError('It must be a day after today.')
    return time / 1_000
  }
