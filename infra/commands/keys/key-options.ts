/** Options and arguments of the subcommands of `npm run keys`, and the functions that read them. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { maximumPerMinute, planNames } from '../../../shared/api-keys/plans.ts'
import type { Clock } from '../../../shared/clock.ts'
import { createWholeNumberParser } from '../../command-line/command.ts'
import { makePrintable } from '../../command-line/printable.ts'
import { redactApiKeys } from '../../command-line/run-command.ts'
import { readInputLine } from '../../command-line/standard-input.ts'
import { UsageError } from '../../command-line/user-error.ts'
import { isDayText, parseUtcTime } from '../../command-line/utc-time.ts'

const maximumTextLength = 100

export const parseText = (text: string): string => {
  const isPrintable = makePrintable(text) === text
  const hasApiKey = redactApiKeys(text) !== text
  const isEmpty = text.trim() === ''
  if (isPrintable && !hasApiKey && !isEmpty && text.length <= maximumTextLength) return text
  throw new InvalidArgumentError('It must be 1 to 100 characters that a terminal shows, without an API key.')
}

const parseContact = (text: string): string => (text === '' ? text : parseText(text))

/** Parses a UTC day such as `2030-12-31`. Returns the Unix seconds at which the day begins; NaN for any other text. */
const parseDay = (text: string): number => (isDayText(text) ? parseUtcTime(text) / 1_000 : Number.NaN)

export const createFutureDayParser =
  (clock: Clock) =>
  (text: string): number => {
    const day = parseDay(text)
    if (day > clock() / 1_000) return day
    throw new InvalidArgumentError('It must be a day after today, such as 2030-12-31.')
  }

/** Creates a parser of the end of a key: a day, as `createFutureDayParser` returns it, or `never`. */
export const createEndParser = (clock: Clock) => {
  const parseFutureDay = createFutureDayParser(clock)
  return (text: string): number | 'never' => (text === 'never' ? text : parseFutureDay(text))
}

export const createPastDayParser =
  (clock: Clock) =>
  (text: string): number => {
    const day = parseDay(text)
    if (day <= clock() / 1_000) return day
    throw new InvalidArgumentError('It must be today or a day before, such as 2026-01-31.')
  }

export const planOption = new Option('--plan <name>', 'its plan').choices(planNames).makeOptionMandatory()

export const perMinuteOption = new Option(
  '--per-minute <n>',
  'enterprise: its limit per minute; a caller who needs more than 30,000 gets several keys',
).argParser(createWholeNumberParser(1, maximumPerMinute))

export const perDayOption = new Option('--per-day <n>', 'enterprise: its limit per day').argParser(
  createWholeNumberParser(1, 1e10),
)

export const contactOption = new Option('--contact <text>', 'how to reach the owner; "" for nothing').argParser(
  parseContact,
)

/** Description of an argument that names a key. */
export const keyArgument = 'id of a key, or the key; "-" reads it from standard input'

/** Reads the key that an argument stands for. */
export const readKeyArgument = async (word: string): Promise<string> => {
  if (word !== '-') return word
  const text = await readInputLine('API key (it is not shown): ', { echo: false })
  if (text === '') throw new UsageError('Standard input has no API key, and no id of one.')
  return text
}

export const overlapHoursParser = createWholeNumberParser(0, 24 * 30)
