import { expect, it } from 'vitest'
import { runNode } from '../fixtures/node-process.ts'
import { chooseBySize, shouldSkip } from '../fixtures/size.ts'
import { knownFaultNames, knownFaults } from './known-faults.ts'
import { simulateInProcess } from './simulate-in-process.ts'

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

/** A seed draws which faults occur, so not every seed shows a known fault. */
const otherSeeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

it.skipIf(isSkipped).each(knownFaultNames)('the simulation finds the fault "%s"', async (name) => {
  const { seed, invariant } = knownFaults[name]
  const brokenInvariants: string[] = []

  for (const triedSeed of new Set([seed, ...otherSeeds])) {
    const { result } = await simulateInProcess('--seed', String(triedSeed), '--hours', '2', '--known-fault', name)
    brokenInvariants.push(...result.violations.map((violation) => violation.invariant))
    if (brokenInvariants.length > 0) break
  }

  expect(brokenInvariants).toContain(invariant)
})
