import { expect, it } from 'vitest'
import { runNode } from '../fixtures/node-process.ts'
import { chooseBySize, shouldSkip } from '../fixtures/size.ts'
import { knownFaultNames, knownFaults } from './known-faults.ts'

/** Simulates in a process of its own, because a simulation replaces the clocks of its process. */
const simulate = async (...options: string[]) => {
  const { output, errors, exitCode } = await runNode(['test/simulation/simulate.ts', '--json', ...options])
  expect(errors).toBe('')
  return { result: JSON.parse(output), exitCode }
}

/** `PET_SIMULATED_HOURS=24` simulates a day. */
const hours = process.env['PET_SIMULATED_HOURS'] ?? chooseBySize('1', '2')
const drawnSeed = process.env['PET_SEED'] ?? '1'

it(`each invariant holds in a simulation of the seed ${drawnSeed}`, async () => {
  const { result, exitCode } = await simulate('--seed', drawnSeed, '--hours', hours)

  expect(result.violations).toEqual([])
  expect(exitCode).toBe(0)
  expect(result.pets).toBeGreaterThan(0)
})

const isSkipped = shouldSkip(
  chooseBySize(true, false),
  'The simulation is not shown to find known faults: that takes minutes; "npm run test:all" does.',
)

it.skipIf(isSkipped)('a seed gives the same history each time', async () => {
  const first = await simulate('--seed', '5', '--hours', '1')
  const second = await simulate('--seed', '5', '--hours', '1')

  expect(second).toEqual(first)
})

it.skipIf(isSkipped).each(knownFaultNames)('the simulation finds the fault "%s"', async (name) => {
  const { seed, invariant } = knownFaults[name]

  const { result, exitCode } = await simulate('--seed', String(seed), '--hours', '2', '--known-fault', name)

  expect(result.violations).toContainEqual(expect.objectContaining({ invariant }))
  expect(exitCode).toBe(1)
})
