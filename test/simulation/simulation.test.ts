import { expect, it } from 'vitest'
import { runNode } from '../fixtures/machine/node-process.ts'
import { testSize } from '../fixtures/machine/size.ts'
import { invariants } from './invariants.ts'
import { findMistakes, knownFaultNames, knownFaults } from './known-faults.ts'
import type { SimulationResult } from './simulation.ts'

// Each simulation has a process of its own, because it replaces the clocks of its process.
const simulate = async (...options: string[]): Promise<SimulationResult> => {
  const { output, errors } = await runNode(['test/simulation/simulate.ts', '--json', ...options])
  if (errors !== '') throw new Error(errors)
  return JSON.parse(output)
}

it.each([1, 2])('each invariant holds in an hour of the seed %i', async (seed) => {
  const result = await simulate('--seed', String(seed), '--hours', '1')

  expect(result.violations).toEqual([])
  expect(result.pets).toBeGreaterThan(0)
})

it('each known fault changes a text that its file has once', () => {
  expect(knownFaultNames.flatMap(findMistakes)).toEqual([])
})

it('each invariant has a known fault that breaks it', () => {
  const broken = new Set(Object.values(knownFaults).map(({ invariant }) => invariant))
  expect(invariants.filter((invariant) => !broken.has(invariant))).toEqual([])
})

/** A seed draws which faults occur, so not every seed shows a known fault. */
const otherSeeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

const isNightly = testSize === 'nightly'

it.runIf(isNightly).each(knownFaultNames)('the simulation finds the fault "%s"', async (name) => {
  const { seed, invariant } = knownFaults[name]
  const broken: string[] = []

  for (const triedSeed of new Set([seed, ...otherSeeds])) {
    const { violations } = await simulate('--seed', String(triedSeed), '--hours', '2', '--known-fault', name)
    broken.push(...violations.map((violation) => violation.invariant))
    if (broken.length > 0) break
  }

  expect(broken).toContain(invariant)
})
