import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runNode } from '../fixtures/node-process.ts'
import { chooseBySize, shouldSkip } from '../fixtures/size.ts'
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts'
import { knownFaultNames, knownFaults } from './known-faults.ts'
import { formatOptions, type SimulationCase } from './simulation-case.ts'

/** Simulates in a process of its own, because a simulation replaces the clocks of its process. */
const simulate = async (...options: string[]) => {
  const { output, errors, exitCode } = await runNode(['test/simulation/simulate.ts', '--json', ...options])
  expect(errors).toBe('')
  return { result: JSON.parse(output), exitCode }
}

/** `PET_SIMULATED_HOURS=24` simulates a day. */
const hours = process.env['PET_SIMULATED_HOURS'] ?? chooseBySize('1', '2')
const drawnSeed = process.env['PET_SEED'] ?? '1'

it(`each invariant holds in a simulation of the seed ${drawnSeed}, whose picture shows what happened`, async () => {
  const picture = join(createTemporaryFolder(), 'hours.svg')

  const { result, exitCode } = await simulate('--seed', drawnSeed, '--hours', hours, '--svg', picture)

  expect(result.violations).toEqual([])
  expect(exitCode).toBe(0)
  expect(result.pets).toBeGreaterThan(0)
  const svg = readFileSync(picture, 'utf8')
  for (const title of ['Requests', 'Responses 429', 'Faults', 'Commands of operators']) expect(svg).toContain(title)
})

/** A case that has broken an invariant before. */
interface FoundCase {
  /** The fault that the case has shown. */
  readonly shows: string
  readonly simulationCase: SimulationCase
}

const casesFolder = new URL('cases/', import.meta.url)

const readCase = (file: string): FoundCase => JSON.parse(readFileSync(new URL(file, casesFolder), 'utf8'))

it.each(readdirSync(casesFolder))('each invariant holds in the case %s', async (file) => {
  const { simulationCase } = readCase(file)

  const { result } = await simulate(...formatOptions(simulationCase))

  expect(result.violations).toEqual([])
})

it('the minutes with faults must not end before they begin', async () => {
  const options = ['--hours', '1', '--faults-from', '30']

  const { errors, exitCode } = await runNode(['test/simulation/simulate.ts', ...options])

  expect(errors).toContain('--faults-from must be before --faults-until, which is at most 20.')
  expect(exitCode).toBe(2)
})

const isSkipped = shouldSkip(
  chooseBySize(true, false),
  'The simulation is not shown to find and to shorten known faults: that takes minutes; "npm run test:all" does.',
)

it.skipIf(isSkipped)('a failure shows the shortest history that breaks the invariant', async () => {
  const { output } = await runNode([
    'test/simulation/simulate.ts',
    '--hours',
    '1',
    '--actors',
    'listers',
    'flood',
    '--no-faults',
    '--known-fault',
    'a minute has room for one request more',
  ])

  expect(output).toContain('Broken: no window is over its limit')
  expect(output).toContain('npm run simulate -- --seed 1 --hours 1 --actors flood --no-faults')
})

it.skipIf(isSkipped)('a seed gives the same history each time', async () => {
  const first = await simulate('--seed', '5', '--hours', '1')
  const second = await simulate('--seed', '5', '--hours', '1')

  expect(second).toEqual(first)
})

/** A seed draws which faults occur, so not every seed shows a known fault. */
const otherSeeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

it.skipIf(isSkipped).each(knownFaultNames)('the simulation finds the fault "%s"', async (name) => {
  const { seed, invariant } = knownFaults[name]
  const brokenInvariants: string[] = []

  for (const triedSeed of [seed, ...otherSeeds]) {
    const { result } = await simulate('--seed', String(triedSeed), '--hours', '2', '--known-fault', name)
    const violations: readonly { readonly invariant: string }[] = result.violations
    brokenInvariants.push(...violations.map((violation) => violation.invariant))
    if (brokenInvariants.length > 0) break
  }

  expect(brokenInvariants).toContain(invariant)
})
