import { parseArgs } from 'node:util'
import { confirmProduction } from '../../command-line/confirm-production.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { type EnvironmentName, environmentNames } from '../../environments.ts'
import { mostPets } from './seeded-pet.ts'

/** What the command line asks for. */
export interface SeedCommand {
  readonly environment: EnvironmentName | 'local'
  readonly count: number
  /** The data folder of the local environment. */
  readonly data: string
  /** Pets a second, at most. */
  readonly rate: number | undefined
  readonly all: boolean
  readonly json: boolean
}

/**
 * In AWS the status index takes 1,000 writes a second of one status. At this rate seeding takes 600 of them,
 * and leaves the rest to the pets that callers create meanwhile.
 */
const deployedRate = 1_000

export const usage = `Usage: npm run seed -- --env ENVIRONMENT --count N [OPTIONS]

Sees to it that the environment has N made-up pets beside its own, and adds those that are missing. They are
the same every time: after an interruption the same command goes on, a greater N adds to what is there.

  --env NAME            local, staging or production
  --count N             1 to ${mostPets}
  --confirm production  required for production, where the made-up pets are listed among real ones
  --rate N              at most N pets a second (default ${deployedRate} in AWS, without limit locally)
  --all                 write every pet again, also those that are there
  --data DIR            the data folder of the local environment (default .local)
  --json                print one JSON object
  --help                show this`

const options = {
  env: { type: 'string' },
  count: { type: 'string' },
  confirm: { type: 'string' },
  rate: { type: 'string' },
  all: { type: 'boolean', default: false },
  data: { type: 'string', default: '.local' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** @throws UsageError that says what to change. */
export const readSeedCommand = (words: readonly string[]): SeedCommand | 'help' => {
  const { env, count, confirm, rate, all, data, json, help } = parse(words)
  if (help) return 'help'
  const environment = readEnvironment(env)
  const command = { environment, count: readNumber(count, '--count', mostPets), all, data, json }
  confirmProduction(environment, confirm)
  const standardRate = environment === 'local' ? undefined : deployedRate
  return { ...command, rate: rate === undefined ? standardRate : readNumber(rate, '--rate', mostPets) }
}

const parse = (words: readonly string[]) => {
  try {
    return parseArgs({ args: [...words], options }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const readEnvironment = (name: string | undefined): SeedCommand['environment'] => {
  const known = ['local', ...environmentNames] as const
  const environment = known.find((one) => one === name)
  if (environment === undefined) throw new UsageError(`Name the environment: --env ${known.join('|')}.`)
  return environment
}

const readNumber = (text: string | undefined, option: string, most: number): number => {
  const value = Number(text)
  if (text === undefined || !/^\d{1,10}$/.test(text) || value < 1 || value > most) {
    throw new UsageError(`${option} takes a whole number from 1 to ${most}.`)
  }
  return value
}
