import { InvalidArgumentError } from '@commander-js/extra-typings'
import { type Allowance, fixedPlans, type Plan } from '../../../shared/api-keys/plans.ts'
import type { Clock } from '../../../shared/clock.ts'
import { printable } from '../../command-line/printable.ts'
import { withoutKeys } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { smokeOwner } from './key.ts'

const maximumLength = 100

type Limits = { readonly [Name in keyof Allowance]?: number | undefined }

/** @throws UserError where the limits do not fit the plan */
export const readAllowance = (plan: Plan, { perMinute, perDay }: Limits): Allowance => {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return fixedPlans[plan]
    throw new UserError(`The limits of ${plan} are fixed; only enterprise takes --per-minute and --per-day.`)
  }
  if (perMinute === undefined || perDay === undefined) {
    throw new UserError('An enterprise key has its own limits: give both --per-minute N and --per-day N.')
  }
  if (perMinute > perDay) throw new UserError('--per-minute is more than --per-day: no minute could use it.')
  return { perMinute, perDay }
}

export const readOwner = (text: string): string => {
  if (text.trim().toLowerCase() !== smokeOwner) return readText(text)
  throw new InvalidArgumentError('The smoke test revokes all keys of this owner. Name another one.')
}

/** @returns an empty text for nothing */
export const readContact = (text: string): string => (text === '' ? text : readText(text))

const readText = (text: string): string => {
  if (text.trim() === '' || text.length > maximumLength) {
    throw new InvalidArgumentError(`It must have 1 to ${maximumLength} characters.`)
  }
  if (printable(text) !== text)
    throw new InvalidArgumentError('It takes no control, format or line-separator characters.')
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
