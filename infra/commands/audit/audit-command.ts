/** The command line of `npm run audit`. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { systemClock } from '../../../shared/clock.ts'
import { formatExamples } from '../../command-line/command.ts'
import { UsageError, UserError } from '../../command-line/user-error.ts'
import { parseDuration, parseUtcTime } from '../../command-line/utc-time.ts'
import { findPetIds, formatOrigin } from '../changes/number-index.ts'
import { formatKeyTarget, formatPetTarget, type Target } from '../changes/record.ts'
import type { Origin } from '../changes/stored-pet.ts'
import { createEnvironmentCommand, runEnvironmentCommand } from '../environment/environment-command.ts'
import type { TableAccess } from '../environment/open-environment.ts'
import { showChanges } from './show-changes.ts'

const description =
  'Shows the changes that operators have made, one line each, the oldest first; with --json as JSON Lines. Without an ' +
  'id and a time it shows those of the last 24 hours.'

export const createAuditCommand = () =>
  createEnvironmentCommand('npm run audit --', description)
    .argument('[id]', 'only changes of the pet or API key with this id', parseTarget)
    .option(
      '--since <time>',
      'only changes since a UTC time such as 2030-12-31 or 2030-12-31T23:59Z, or since a time ago: 90m, 24h, 7d',
      parsePastTime,
    )
    .option('--match <text>', 'only changes whose line has this text: an operator, a command, a reason, a name')
    .option('--source <name>', "only changes of the animals of this shelter's file")
    .option('--number <number>', 'with --source: all changes of the animal with this number')
    .addHelpText(
      'after',
      formatExamples(
        'npm run audit -- 5 --env staging',
        'npm run audit -- --env staging --match alice --since 7d',
        'npm run audit -- --env staging --source elm-street --number A17',
      ),
    )
    .action((target, { number, source, since, ...options }) => {
      if (number !== undefined && source === undefined) {
        throw new UsageError('--number needs --source.')
      }
      if (number !== undefined && target !== undefined) throw new UsageError('Give an id or a number, not both.')
      return runEnvironmentCommand(options, async (environment) => {
        const isNumber = source !== undefined && number !== undefined
        const shownTarget = isNumber ? await findTarget(environment, { source, number }) : target
        const defaultSince = shownTarget === undefined ? systemClock() - dayMilliseconds : 0
        const selection = { ...options, source, target: shownTarget, since: since ?? defaultSince }
        return showChanges(environment, selection)
      })
    })

/** Parses the id of a pet or a key. The id of a key whose item has lost it is the hash of the key. */
const parseTarget = (id: string): Target => {
  if (/^[1-9]\d{0,18}$/.test(id)) return formatPetTarget(BigInt(id))
  if (/^(key_\w+|[\da-f]{64})$/.test(id)) return formatKeyTarget(id)
  throw new InvalidArgumentError('It must be the id of a pet, such as 150739, or of an API key, such as key_0mh2x5.')
}

/** Finds the pet of an animal of a shelter. */
const findTarget = async (environment: TableAccess, origin: Origin): Promise<Target> => {
  const ids = await findPetIds(environment, [origin])
  const id = ids.get(formatOrigin(origin))
  if (id !== undefined) return formatPetTarget(id)
  throw new UserError(`The source ${origin.source} has no animal ${origin.number}.`)
}

const dayMilliseconds = 86_400_000

/** Parses a time in the past. It returns milliseconds since the Unix epoch. */
const parsePastTime = (text: string): number => {
  const ago = parseDuration(text)
  const time = Number.isNaN(ago) ? parseUtcTime(text) : systemClock() - ago
  if (time <= systemClock()) return time
  throw new InvalidArgumentError('It must be a time in the past, such as 2025-12-31, 2025-12-31T23:59Z or 24h.')
}
