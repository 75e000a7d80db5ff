import { InvalidArgumentError } from '@commander-js/extra-typings'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { formatExamples } from '../../command-line/tool.ts'
import { createEnvironmentTool, runReadCommand } from '../environment/environment-command.ts'
import { showChanges } from './show-changes.ts'

const description =
  'Shows the changes that operators have made, one line each, in the order in which they ended; with --json as JSON ' +
  'Lines. Changes without an outcome come last.'

/**
 * Creates the command line of `npm run audit`.
 *
 * @example
 * await runTool(createAuditTool())
 */
export const createAuditTool = (clock: Clock = systemClock) =>
  createEnvironmentTool('npm run --silent audit --', description)
    .option('--id <id>', 'only changes of the pet or API key with this id', parseId)
    .option('--who <part>', 'only changes of operators whose AWS identity or user name contains this')
    .option(
      '--since <time>',
      'only changes since a UTC time such as 2030-12-31 or 2030-12-31T23:59Z, or since a time ago: 90m, 24h, 7d',
      createPastTimeParser(clock),
    )
    .addHelpText(
      'after',
      formatExamples(
        'npm run --silent audit -- --env staging --id 5',
        'npm run --silent audit -- --env staging --who alice --since 24h',
      ),
    )
    .action((options) => runReadCommand(options, (environment) => showChanges(environment, options)))

/** Checks an id. The characters of ids need no escaping in a filter pattern of CloudWatch Logs. */
const parseId = (text: string): string => {
  const isApiKey = text.startsWith('pet_')
  if (/^\w+$/.test(text) && !isApiKey) return text
  throw new InvalidArgumentError('It must be the id of a pet or of an API key.')
}

const minuteMilliseconds = 60_000

const unitMilliseconds: Readonly<Record<string, number>> = {
  m: minuteMilliseconds,
  h: 60 * minuteMilliseconds,
  d: 24 * 60 * minuteMilliseconds,
}

/** Creates a parser of a time in the past. It returns milliseconds since the Unix epoch. */
const createPastTimeParser =
  (clock: Clock) =>
  (text: string): number => {
    const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
    const time = amount === undefined ? parseUtcTime(text) : clock() - Number(amount) * (unitMilliseconds[unit] ?? 0)
    if (time <= clock()) return time
    throw new InvalidArgumentError('It must be a time in the past, such as 2025-12-31, 2025-12-31T23:59Z or 24h.')
  }

/** @returns NaN for any other text */
const parseUtcTime = (text: string): number => {
  const isUtcTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text)
  const time = isUtcTime ? Date.parse(text) : Number.NaN
  // Date.parse reads 30 February as 2 March, whose text is another one.
  const day = Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10)
  return text.startsWith(day) ? time : Number.NaN
}
