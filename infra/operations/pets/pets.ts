/** `npm run pets`: exports, imports, shows, changes, removes and counts the pets of an environment. */
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readNumber } from '../../../shared/int64.ts'
import { printReport } from '../../command-line/report.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { openAudit } from '../target/audit.ts'
import { withUserErrors } from '../target/aws-errors.ts'
import { openDatabase } from '../target/open-database.ts'
import { type PetCommand, readPetCommand } from './pet-command.ts'
import { PetTable } from './pet-table.ts'

const run = async ({ target, json, why, run }: PetCommand): Promise<void> => {
  const { database, tables } = await openDatabase(target)
  const client = DynamoDBDocumentClient.from(database, { unmarshallOptions: { wrapNumbers: readNumber } })
  const report = await run({
    environment: target.environment,
    tableName: tables.pets,
    table: new PetTable(client, tables.pets),
    openAudit: () => openAudit(target, why),
  })
  if (report !== undefined) await printReport(report, json)
  database.destroy()
}

await runCommand(() => withUserErrors(async () => run(readPetCommand(commandLine()))))
