/** `npm run seed`: fills an environment with made-up pets. */
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { interruptedCode, interruption } from '../../command-line/interruption.ts'
import { printable } from '../../command-line/printable.ts'
import { progressReport } from '../../command-line/progress-report.ts'
import { amount, printReport } from '../../command-line/report.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { openDatabase } from '../target/open-database.ts'
import { readSeedCommand, type SeedCommand } from './seed-command.ts'
import { type RemovalResult, removeSeededPets, type SeedingResult, seedPets } from './seed-pets.ts'

const seed = async (command: SeedCommand): Promise<void> => {
  const { database, tables } = await openDatabase(command.target)
  const table = tables.pets
  const signal = interruption(interruptedCode)
  const report = progressReport(process.stderr)
  const startedAt = performance.now()
  const { target, count, rate } = command
  const client = DynamoDBDocumentClient.from(database)
  const work = { client, table, progress: report, signal, ...(rate !== undefined && { rate }) }
  const result = await (count === undefined ? removeSeededPets(work) : seedPets({ ...work, count }))
    .catch((error: unknown) => {
      // The SDK marks every error that it met; all others are a fault of this command.
      if (!(error instanceof UserError) && !(error instanceof Error && '$metadata' in error)) throw error
      const reason = error.message === '' ? 'DynamoDB is unreachable' : printable(error.message.replace(/\.$/, ''))
      const done = count === undefined ? 'removed' : 'written'
      throw new UserError(`Seeding stopped: ${reason}. ${amount(report.written())} pets were ${done}. ${howToResume}`)
    })
    .finally(report.end)
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  const json = { environment: target.environment, table, count, ...result, seconds }
  await printReport({ json, text: textOf(command, result) }, command.json)
  if (!result.isComplete) process.exitCode = interruptedCode
  database.destroy()
}

const textOf = ({ target, count = 0 }: SeedCommand, result: SeedingResult | RemovalResult): string => {
  const done =
    'removed' in result
      ? `${amount(result.removed)} pets were removed.`
      : `${amount(result.written)} pets were written, ${amount(result.found)} were there.`
  if (!result.isComplete) return `Interrupted: ${done} ${howToResume}`
  const total = 'removed' in result ? 0 : result.total
  const more = total > count ? ` That is more than ${amount(count)}; --remove removes them all.` : ''
  return `The environment ${target.environment} has ${amount(total)} made-up pets: ${done}${more}`
}

const howToResume = 'The same command resumes from there.'

await runCommand(() => seed(readSeedCommand(commandLine())))
