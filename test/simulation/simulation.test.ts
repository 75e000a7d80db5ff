import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runNode } from '../fixtures/node-process.ts'
import { hasRelease } from '../fixtures/released-sources.ts'
import { chooseBySize, shouldSkip, shouldSkipWithout } from '../fixtures/size.ts'
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts'
import { simulateInProcess } from './simulate-in-process.ts'
import { formatOptions, type SimulationCase } from './simulation-case.ts'

/** `PET_SIMULATED_HOURS=24` simulates a day. */
const hours = process.env['PET_SIMULATED_HOURS'] ?? chooseBySize('1', '2')
const drawnSeed = process.env['PET_SEED'] ?? '1'

// Reports that a part is left out. The invariants are checked nevertheless.
shouldSkipWithout(hasRelease(), 'The simulation has no functions of the last release: git does not have its commit.')

it(`each invariant holds in a simulation of the seed ${drawnSeed}, which draws its picture`, async () => {
  const picture = join(createTemporaryFolder(), 'hours.svg')

  const { result, exitCode } = await simulateInProcess('--seed', drawnSeed, '--hours', hours, '--svg', picture)

  expect(result.violations).toEqual([])
  expect(exitCode).toBe(0)
  expect(result.pets).toBeGreaterThan(0)
  expect(readFileSync(picture, 'utf8')).toContain(`>Seed ${drawnSeed}<`)
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

  const { result } = await simulateInProcess(...formatOptions(simulationCase))

  expect(result.violations).toEqual([])
})

it('the minutes with faults must not end before they begin', async () => {
  const options = ['--hours', '1', '--faults-from', '30']

  const { errors, exitCode } = await runNode(['test/simulation/simulate.ts', ...options])

  expect(errors).toContain('--faults-from must be before --faults-until, which is at most 20.')
  expect(exitCode).toBe(2)
})

const isRepeatSkipped = shouldSkip(
  chooseBySize(true, false),
  'The simulation is not shown to repeat its history: that takes a minute; "npm run test:all" does.',
)

it.skipIf(isRepeatSkipped)('two simulations of a seed that run at once have the same history', async () => {
  const simulateOnce = () => simulateInProcess('--seed', '7', '--hours', '1')

  const [first, second] = await Promise.all([simulateOnce(), simulateOnce()])

  expect(second).toEqual(first)
})
