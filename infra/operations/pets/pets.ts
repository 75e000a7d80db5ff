/** `npm run pets`: exports, imports, shows, changes, removes and counts the pets of an environment. */
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { readNumber } from '../../../shared/int64.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { openAudit } from '../target/audit.ts'
import { withUserErrors } from '../target/aws-errors.ts'
import { openDatabase } from '../target/open-database.ts'
import { carryOut } from './carry-out.ts'
import { type PetCommand, readPetCommand } from './pet-command.ts'
import { PetTable } from './pet-table.ts'

/** Enough, with ever longer waits, for about half a minute in which DynamoDB throttles. */
const maxAttempts = 8

const run = async (command: PetCommand): Promise<void> => {
  const { database, tables } = await openDatabase(command, maxAttempts)
  const client = DynamoDBDocumentClient.from(database, { unmarshallOptions: { wrapNumbers: readNumber } })
  const report = await carryOut(
    {
      environment: command.environment,
      tableName: tables.pets,
      table: new PetTable(client, tables.pets),
      openAudit: () => openAudit(command, command.why),
    },
    command,
  )
  if (report !== undefined) console.log(command.json ? stringifyExactJson(report.json) : report.text)
  database.destroy()
}

await runCommand(async () => {
  const command = readPetCommand(commandLine())
  await (command.environment === 'local' ? run(command) : withUserErrors(() => run(command)))
})
