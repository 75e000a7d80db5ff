/** `npm run seed`: fills an environment with made-up pets. */
import { interruptedCode, interruption } from '../../command-line/interruption.ts'
import { wholeNumber } from '../../command-line/options.ts'
import { progress } from '../../command-line/progress.ts'
import { amount, type Report } from '../../command-line/report.ts'
import { sentenceOf } from '../../command-line/run-command.ts'
import { runTool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type ChangingPlace, changing, environmentTool } from '../target/carry-out.ts'
import { removeSeededPets, seedPets } from './seed-pets.ts'
import { maximumPets } from './seeded-pet.ts'

const description =
  'Writes N made-up pets beside those of the environment. They are the same every time, and written again where they are there. With --remove it removes them all.'

/**
 * Pets a second. On AWS the status index takes 1,000 writes a second of one status. At this rate seeding takes 600 of them,
 * and leaves the rest to callers.
 */
const deployedRate = 1_000

/** @param count of pets to write; without it, all are removed */
const seed = async (place: ChangingPlace, count: number | undefined): Promise<Report> => {
  const { environment, database, tables, recorded } = place
  const perSecond = environment === 'local' ? undefined : deployedRate
  const signal = interruption()
  const advance = progress(count)
  let pets = 0
  const tell = (taken: number): void => {
    pets += taken
    advance(taken)
  }
  const options = { database, table: tables.pets, perSecond, signal, tell }
  const action = count === undefined ? 'seed --remove' : `seed --count ${count}`
  const soFar = () => `${amount(pets)} made-up pets were ${count === undefined ? 'removed' : 'written'} until then.`
  await recorded({ action, ids: [], old: null, new: null }, async () => {
    await (count === undefined ? removeSeededPets(options) : seedPets({ ...options, count })).catch(
      (cause: unknown) => {
        throw new UserError(`${sentenceOf(cause)} ${soFar()} Run the same command again.`, { cause })
      },
    )
    if (signal.aborted) {
      throw new UserError(`Interrupted: ${soFar()} Run the same command again.`, { exitCode: interruptedCode })
    }
  })
  return count === undefined
    ? {
        json: { environment, removed: pets },
        text: `The environment ${environment} has no made-up pets: ${amount(pets)} were removed.`,
      }
    : {
        json: { environment, written: pets },
        text: `The environment ${environment} has the first ${amount(count)} made-up pets.`,
      }
}

await runTool(
  environmentTool('npm run seed --', description)
    .option('--count <n>', `how many, at most ${maximumPets}`, wholeNumber(1, maximumPets))
    .option('--remove', 'remove all made-up pets instead')
    .action(({ count, remove = false, ...options }) => {
      if ((count === undefined) !== remove) throw new UserError('Give --count N, or --remove.')
      return changing(options, (place) => seed(place, count))
    }),
)
