/** `npm run seed`: fills an environment with made-up pets. */
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { interruptedCode, interruption } from '../../command-line/interruption.ts'
import { progressReport } from '../../command-line/progress-report.ts'
import { amount, printReport } from '../../command-line/report.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { reasonOfStop, withUserErrors } from '../target/aws-errors.ts'
import { openDatabase } from '../target/open-database.ts'
import { readSeedCommand } from './seed-command.ts'
import { removeSeededPets, seedPets } from './seed-pets.ts'

/**
 * Pets a second. In AWS the status index takes 1,000 writes a second of one status. At this rate seeding takes 600 of them,
 * and leaves the rest to the pets that callers create meanwhile.
 */
const deployedRate = 1_000

type SeedCommand = ReturnType<typeof readSeedCommand>
type Result = Awaited<ReturnType<typeof seedPets | typeof removeSeededPets>>

const seed = async (command: SeedCommand): Promise<void> => {
  const { database, tables } = await openDatabase(command.target)
  const table = tables.pets
  const signal = interruption(interruptedCode)
  const report = progressReport(process.stderr)
  const startedAt = performance.now()
  const { target, count } = command
  const client = DynamoDBDocumentClient.from(database)
  const rate = target.environment === 'local' ? undefined : deployedRate
  const work = { client, table, rate, progress: report, signal }
  const result = await (count === undefined ? removeSeededPets(work) : seedPets({ ...work, count }))
    .catch((error: unknown) => {
      const reason = reasonOfStop(error)
      if (reason === undefined) throw error
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

const textOf = ({ target, count = 0 }: SeedCommand, result: Result): string => {
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

await runCommand(() => withUserErrors(async () => seed(readSeedCommand(commandLine()))))
