/** `npm run simulate`: simulates the service in virtual time, and says which invariants are broken. */
import { Option } from '@commander-js/extra-typings'
import { createTool, createWholeNumberParser, runTool } from '../../infra/command-line/tool.ts'
import { synthesize } from '../../infra/synthesis/synthesize.ts'
import { knownFaultNames, knownFaults, putBack } from './known-faults.ts'
import { actorNames, faultNames } from './parts.ts'
import type { SimulationResult } from './simulation.ts'

const description =
  'Simulates callers, the service and its operators in virtual time. A seed always gives the same history. Ends with ' +
  'the exit code 1 if an invariant is broken.'

const print = ({ faults, hours, pets, violations }: SimulationResult): void => {
  console.log(`Faults until the last 40 minutes: ${faults}.`)
  console.table(Object.fromEntries(hours.map(({ hour, ...counts }) => [`hour ${hour}`, counts])))
  console.log(`Callers asked for ${pets} new animals.`)
  for (const { invariant, text, events } of violations) {
    console.log(`Broken: ${invariant}\n  ${text}`)
    for (const event of events) console.log(`    ${event}`)
  }
}

await runTool(
  createTool('npm run simulate --', description)
    .option('--seed <n>', 'seed of the random numbers', createWholeNumberParser(0, 2 ** 32 - 1), 1)
    .option('--hours <n>', 'length; the last 40 minutes have no faults', createWholeNumberParser(1, 100_000), 2)
    .addOption(
      new Option('--known-fault <name>', 'puts a fault into the service, and ends when it is found').choices(
        knownFaultNames,
      ),
    )
    .addOption(new Option('--actors <names...>', 'who acts').choices(actorNames).default(actorNames))
    .addOption(new Option('--faults <names...>', 'what can go wrong').choices(faultNames).default(faultNames))
    .option('--json', 'prints the result as JSON')
    .action(async ({ seed, hours, actors, faults, knownFault, json }) => {
      if (knownFault !== undefined) putBack(knownFault)
      const untilBroken = knownFault && knownFaults[knownFault].invariant
      const assembly = await synthesize()
      // Imported when the fault is in place.
      const { simulate } = await import('./simulation.ts')
      const result = await simulate({
        seed,
        minutes: hours * 60,
        actors: new Set(actors),
        faults: new Set(faults),
        assembly,
        untilBroken,
      })

      if (json) console.log(JSON.stringify({ seed, ...result }, null, 2))
      else print(result)
      process.exitCode = result.violations.length > 0 ? 1 : 0
    }),
)
