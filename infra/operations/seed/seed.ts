/** `npm run seed`: fills an environment with made-up pets. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { interruption } from '../../command-line/interruption.ts'
import { printable, printableJson } from '../../command-line/printable.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { environments } from '../../environments.ts'
import { withUserErrors } from '../target/aws-errors.ts'
import { findDeployedEnvironment } from '../target/deployed-environment.ts'
import { requireRunningEnvironment } from '../target/environment-file.ts'
import { connect } from '../target/local-database.ts'
import { progressReport } from './progress-report.ts'
import { readSeedCommand, type SeedCommand } from './seed-command.ts'
import { type SeedingResult, seedPets } from './seed-pets.ts'

/** By convention, the exit code of a process that Ctrl-C ended. */
const interruptedCode = 130

/** The pets table of the environment, and a client that reaches it. */
const findTable = async ({ environment, data }: SeedCommand): Promise<{ database: DynamoDBClient; table: string }> => {
  if (environment === 'local') {
    const { databaseEndpoint, tables } = await requireRunningEnvironment(data)
    return { database: connect(databaseEndpoint), table: tables.pets }
  }
  const { region } = environments[environment]
  const options = region === undefined ? {} : { region }
  const { tables } = await withUserErrors(() => findDeployedEnvironment(new CloudFormationClient(options), environment))
  return { database: new DynamoDBClient(options), table: tables.pets }
}

const seed = async (command: SeedCommand): Promise<void> => {
  const { database, table } = await findTable(command)
  const signal = interruption(interruptedCode)
  const report = progressReport(process.stderr)
  const startedAt = performance.now()
  const { environment, count, all, rate } = command
  const client = DynamoDBDocumentClient.from(database)
  const work = { client, table, count, all, progress: report, signal, ...(rate !== undefined && { rate }) }
  const result = await seedPets(work)
    .catch((error: unknown) => {
      // The SDK marks every error that it met; all others are a fault of this command.
      if (!(error instanceof UserError) && !(error instanceof Error && '$metadata' in error)) throw error
      const reason = error.message === '' ? 'DynamoDB is unreachable' : printable(error.message.replace(/\.$/, ''))
      throw new UserError(`Seeding stopped: ${reason}. ${amount(report.written())} pets were written. ${howToResume}`)
    })
    .finally(report.end)
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  console.log(command.json ? printableJson({ environment, table, count, ...result, seconds }) : textOf(command, result))
  if (!result.isComplete) process.exitCode = interruptedCode
  database.destroy()
}

const textOf = ({ environment, count }: SeedCommand, { found, written, isComplete }: SeedingResult): string => {
  const done = `${amount(written)} pets were written, ${amount(found)} were there.`
  return isComplete
    ? `The environment ${environment} has ${amount(count)} made-up pets: ${done}`
    : `Interrupted: ${done} ${howToResume}`
}

const howToResume = 'The same command resumes from there.'

const amount = (value: number): string => value.toLocaleString('en-US')

await runCommand(() => seed(readSeedCommand(commandLine())))
