/** `npm run cost`: estimates what a month of requests costs on AWS. */
import { printReport } from '../../command-line/report.ts'
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { readCostCommand } from './cost-command.ts'
import { reportCost } from './cost-report.ts'
import { readInventory } from './inventory.ts'

await runCommand(async () => {
  const command = readCostCommand(commandLine())
  const inventories = command.setUps.map(readInventory)
  await printReport(reportCost(command, inventories), command.json)
})
