/** `npm run simulate`: simulates the service in virtual time, and says which invariants are broken. */
import { Option } from '@commander-js/extra-typings'
import {
  createCommand,
  createWholeNumberParser,
  formatExamples,
  runCommandLine,
} from '../../infra/command-line/command.ts'
import { synthesize } from '../../infra/local/synthesis/synthesize.ts'
import { actorNames } from './actor-names.ts'
import { injectFault, knownFaultNames, knownFaults } from './known-faults.ts'
import type { SimulationResult } from './simulation.ts'

const description =
  'Simulates callers, the service and its operators in virtual time. A seed always gives the same history. Ends with ' +
  'the exit code 1 if an invariant is broken, and shows what happened before.'

const printResult = ({ faults, pets, totals, violations }: SimulationResult): void => {
  console.log(`Until the last 40 minutes: ${faults}.`)
  console.log(`Callers asked for ${pets} new animals.`)
  for (const name of Object.keys(totals).toSorted()) console.log(`${String(totals[name]).padStart(8)} ${name}`)
  for (const { invariant, text, events } of violations) {
    console.log(`Broken: ${invariant}\n  ${text}`)
    for (const event of events) console.log(`    ${event}`)
  }
}

await runCommandLine(
  createCommand('npm run simulate --', description)
    .option('--seed <n>', 'seed of the random numbers', createWholeNumberParser(0, 2 ** 32 - 1), 1)
    .option('--hours <n>', 'length; the last 40 minutes have no faults', createWholeNumberParser(1, 20), 2)
    .addOption(
      new Option(
        '--known-fault <name>',
        'puts a fault into the service, simulates the actors that show it, and ends when it is found',
      ).choices(knownFaultNames),
    )
    .addOption(new Option('--actors <names...>', 'who acts (default: all)').choices(actorNames))
    .option('--json', 'prints the result as JSON')
    .addHelpText('after', formatExamples('npm run simulate -- --seed 7 --actors shelters key-operators'))
    .action(async ({ seed, hours, knownFault, actors, json }) => {
      if (knownFault !== undefined) injectFault(knownFault)
      const fault = knownFault && knownFaults[knownFault]
      const assembly = await synthesize()
      // The sources are imported when the fault is in place.
      const { simulate } = await import('./simulation.ts')
      const result = await simulate({
        seed,
        hours,
        actors: new Set(actors ?? fault?.actors ?? actorNames),
        assembly,
        untilBroken: fault?.invariant,
      })

      process.exitCode = result.violations.length > 0 ? 1 : 0
      if (json) console.log(JSON.stringify({ seed, ...result }, null, 2))
      else printResult(result)
    }),
)
