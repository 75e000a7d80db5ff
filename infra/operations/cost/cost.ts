/** `npm run cost`: estimates what a month of requests costs on AWS. */
import { runCommand } from '../../command-line/run-command.ts'
import { commandLine } from '../../command-line/tool.ts'
import { readCostCommand } from './cost-command.ts'
import { reportCost } from './cost-report.ts'
import { estimate, usageOf } from './estimate.ts'
import { readInventory } from './inventory.ts'

await runCommand(async () => {
  const command = readCostCommand(commandLine())
  const { environment, tracing, workload } = command
  const inventory = await readInventory(environment, tracing)
  const { json, text } = reportCost(command, inventory, estimate(usageOf(workload, inventory), workload.requests))
  console.log(command.json ? JSON.stringify(json) : text)
})
