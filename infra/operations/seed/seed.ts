/** `npm run seed`: fills an environment with made-up pets. */

import { printable, printableJson } from '../../command-line/printable.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { progressReport } from './progress-report.ts'
import { readSeedCommand, type SeedCommand, usage } from './seed-command.ts'
import { type SeedingResult, seedPets } from './seed-pets.ts'
import { findTarget } from './seed-target.ts'

/** What a shell takes for "ended by Ctrl-C". */
const interruptedCode = 130

const seed = async (command: SeedCommand): Promise<void> => {
  const { client, table } = await findTarget(command)
  const signal = interruption()
  const report = progressReport(process.stderr)
  const startedAt = performance.now()
  let written = 0
  const progress = {
    begin: report.begin,
    advance: (pets: number) => {
      written += pets
      report.advance(pets)
    },
  }
  const { count, all, rate } = command
  const work = { client, table, count, all, progress, signal, ...(rate !== undefined && { rate }) }
  const result = await seedPets(work)
    .catch((error: unknown) => {
      // The SDK marks every error that it met; all others are a fault of this command.
      if (!(error instanceof UserError) && !(error instanceof Error && '$metadata' in error)) throw error
      const reason = error.message === '' ? 'DynamoDB is out of reach' : printable(error.message.replace(/\.$/, ''))
      throw new UserError(`Seeding stopped: ${reason}. ${amount(written)} pets were written. ${howToGoOn}`)
    })
    .finally(report.end)
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  console.log(command.json ? printableJson({ ...describe(command, table, result), seconds }) : tell(command, result))
  if (!result.isComplete) process.exitCode = interruptedCode
  client.destroy()
}

/** Ends the seeding in good order at the first signal, and the process at a second one. */
const interruption = (): AbortSignal => {
  const controller = new AbortController()
  let first = Number.POSITIVE_INFINITY
  const end = (): void => {
    first = Math.min(first, performance.now())
    controller.abort()
    // npm hands on the Ctrl-C that the terminal sends to this process too: twice at once is once.
    if (performance.now() - first > 500) process.exit(interruptedCode)
  }
  process.on('SIGINT', end).on('SIGTERM', end)
  return controller.signal
}

const describe = ({ environment, count }: SeedCommand, table: string, result: SeedingResult) => ({
  environment,
  table,
  count,
  ...result,
})

const tell = ({ environment, count }: SeedCommand, { found, written, isComplete }: SeedingResult): string => {
  const done = `${amount(written)} pets were written, ${amount(found)} were there.`
  return isComplete
    ? `The environment ${environment} has ${amount(count)} made-up pets: ${done}`
    : `Interrupted: ${done} ${howToGoOn}`
}

const howToGoOn = 'The same command goes on from there.'

const amount = (value: number): string => value.toLocaleString('en-US')

await runCommand(usage, async () => {
  const command = readSeedCommand(process.argv.slice(2))
  if (command === 'help') console.log(usage)
  else await seed(command)
})
