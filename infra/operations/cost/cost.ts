/** `npm run cost`: estimates what a month of requests costs on AWS. */
import { runCommand } from '../../command-line/run-command.ts'
import { readCostCommand, usage } from './cost-command.ts'
import { reportCost } from './cost-report.ts'
import { estimate, usageOf } from './estimate.ts'
import { readInventory } from './inventory.ts'

await runCommand(usage, async () => {
  const command = readCostCommand(process.argv.slice(2))
  if (command === 'help') {
    console.log(usage)
    return
  }
  const { environment, tracing, workload } = command
  const inventory = readInventory(environment, tracing)
  const { json, text } = reportCost(command, inventory, estimate(usageOf(workload, inventory), workload.requests))
  console.log(command.json ? JSON.stringify(json) : text)
})
