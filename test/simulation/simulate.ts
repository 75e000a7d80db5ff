/** `npm run simulate`: simulates the service in virtual time, and says which invariants are broken. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Option } from '@commander-js/extra-typings'
import { resolveOperatorPath } from '../../infra/command-line/operator-path.ts'
import { createTool, createWholeNumberParser, formatExamples, runTool } from '../../infra/command-line/tool.ts'
import { UsageError } from '../../infra/command-line/user-error.ts'
import { synthesize } from '../../infra/synthesis/synthesize.ts'
import { type KnownFaultName, knownFaultNames, knownFaults, putBack } from './known-faults.ts'
import { actorNames, faultNames } from './parts.ts'
import { drawPicture } from './picture.ts'
import { findFaultMinutes } from './schedule.ts'
import { shorten } from './shorten.ts'
import type { SimulationResult } from './simulation.ts'
import { formatOptions, type SimulationCase } from './simulation-case.ts'

const description =
  'Simulates callers, the service and its operators in virtual time. A seed always gives the same history. Ends with ' +
  'the exit code 1 if an invariant is broken, and shows the shortest history that breaks it.'

const longestHours = 100_000

/** A simulation, and when it ends early. */
interface Run {
  readonly simulationCase: SimulationCase
  readonly knownFault: KnownFaultName | undefined
  /** Ends the simulation as soon as this invariant is broken. */
  readonly untilBroken: string | undefined
}

const printHours = ({ faults, releasedCommit, hours, pets, commands }: SimulationResult): void => {
  const release = releasedCommit === null ? 'none' : `those of the commit ${releasedCommit}`
  console.log(`Functions of the last release: ${release}.`)
  console.log(`Faults until the last 40 minutes: ${faults}.`)
  console.table(Object.fromEntries(hours.map(({ hour, ...counts }) => [`hour ${hour}`, counts])))
  console.log(`Callers asked for ${pets} new animals.`)
  console.table(commands)
}

const printViolations = ({ violations }: SimulationResult): void => {
  for (const { invariant, text: explanation, events } of violations) {
    console.log(`Broken: ${invariant}\n  ${explanation}`)
    for (const event of events) console.log(`    ${event}`)
  }
}

/** Simulates in this process, which can be done once. */
const simulateHere = async ({ simulationCase, knownFault, untilBroken }: Run): Promise<SimulationResult> => {
  if (knownFault !== undefined) putBack(knownFault)
  const assembly = await synthesize()
  // The sources are imported when the fault is in place.
  const { simulate } = await import('./simulation.ts')
  const { seed, hours, actors, faults, faultMinutes } = simulationCase
  return simulate({
    seed,
    minutes: hours * 60,
    actors: new Set(actors),
    faults: new Set(faults),
    faultMinutes,
    assembly,
    untilBroken,
  })
}

const formatRun = ({ simulationCase, knownFault }: Run): string[] => {
  const options = formatOptions(simulationCase)
  return knownFault === undefined ? options : [...options, '--known-fault', knownFault]
}

/** Simulates in another process until an invariant is broken. */
const simulateInProcess = async (run: Run, untilBroken: string): Promise<SimulationResult> => {
  const program = fileURLToPath(import.meta.url)
  const options = [...formatRun(run), '--until', untilBroken, '--json']
  const child = spawn(process.execPath, [...process.execArgv, program, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(await text(child.stdout))
}

/** Prints the shortest history that breaks an invariant, and the command that repeats it. */
const printShortest = async (run: Run, invariant: string): Promise<void> => {
  const simulateCase = (simulationCase: SimulationCase) => simulateInProcess({ ...run, simulationCase }, invariant)
  console.log('\nThe history is being shortened, in some 30 simulations.')
  const shortest = await shorten(run.simulationCase, async (shorter) => {
    const { violations } = await simulateCase(shorter)
    return violations.some((violation) => violation.invariant === invariant)
  })

  console.log('\nThe shortest history:')
  printViolations(await simulateCase(shortest))
  const options = formatRun({ ...run, simulationCase: shortest }).map((word) =>
    /[^\w-]/.test(word) ? `"${word}"` : word,
  )
  console.log(`\nTo repeat it: npm run simulate -- ${options.join(' ')}`)
}

/** Finds the minutes in which faults occur: those that the options name, or all in which they can. */
const chooseFaultMinutes = (hours: number, from: number, until: number | undefined) => {
  const possible = findFaultMinutes(hours * 60)
  const chosen = { from, until: Math.min(until ?? possible.until, possible.until) }
  if (chosen.from < chosen.until) return chosen
  throw new UsageError(`--faults-from must be before --faults-until, which is at most ${possible.until}.`)
}

const parseMinute = createWholeNumberParser(0, longestHours * 60)

await runTool(
  createTool('npm run simulate --', description)
    .option('--seed <n>', 'seed of the random numbers', createWholeNumberParser(0, 2 ** 32 - 1), 1)
    .option('--hours <n>', 'length; the last 40 minutes have no faults', createWholeNumberParser(1, longestHours), 2)
    .addOption(
      new Option('--days <n>', 'length in days')
        .argParser(createWholeNumberParser(1, Math.floor(longestHours / 24)))
        .conflicts('hours'),
    )
    .addOption(
      new Option(
        '--known-fault <name>',
        'puts a fault into the service, simulates the actors that show it, and ends when it is found',
      ).choices(knownFaultNames),
    )
    .addOption(new Option('--actors <names...>', 'who acts (default: all)').choices(actorNames))
    .addOption(new Option('--faults <names...>', 'what can go wrong').choices(faultNames).default(faultNames))
    .option('--no-faults', 'nothing goes wrong')
    .option('--faults-from <minute>', 'the first minute that has faults', parseMinute, 0)
    .option('--faults-until <minute>', 'the first minute without faults again', parseMinute)
    .option('--until <invariant>', 'ends when this invariant is broken')
    .option('--no-shorten', 'does not look for the shortest history that breaks an invariant')
    .option('--svg <file>', 'draws what happened, hour by hour')
    .option('--json', 'prints the result as JSON, which is not shortened')
    .addHelpText(
      'after',
      formatExamples(
        'npm run simulate -- --seed 7 --days 1 --svg day.svg',
        'npm run simulate -- --seed 7 --actors shelters key-operators --faults kills',
      ),
    )
    .action(async (options) => {
      const hours = options.days === undefined ? options.hours : options.days * 24
      const { knownFault } = options
      const fault = knownFault && knownFaults[knownFault]
      const untilBroken = options.until ?? fault?.invariant
      const simulationCase: SimulationCase = {
        seed: options.seed,
        hours,
        actors: options.actors ?? fault?.actors ?? actorNames,
        faults: options.faults === false ? [] : options.faults,
        faultMinutes: chooseFaultMinutes(hours, options.faultsFrom, options.faultsUntil),
      }
      const run: Run = { simulationCase, knownFault, untilBroken }
      const result = await simulateHere(run)

      if (options.svg !== undefined) {
        writeFileSync(resolveOperatorPath(options.svg), drawPicture(`Seed ${options.seed}`, result.hours))
      }
      process.exitCode = result.violations.length > 0 ? 1 : 0
      if (options.json) {
        console.log(JSON.stringify({ seed: options.seed, ...result }, null, 2))
        return
      }
      printHours(result)
      printViolations(result)
      const [violation] = result.violations
      if (options.shorten && violation !== undefined) await printShortest(run, violation.invariant)
    }),
)
