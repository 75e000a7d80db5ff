import { expect, it } from 'vitest'
import { shorten } from './shorten.ts'
import type { SimulationCase } from './simulation-case.ts'

const found: SimulationCase = {
  seed: 7,
  hours: 8,
  actors: ['shelters', 'sites', 'careful'],
  faults: ['freezes', 'kills'],
  faultMinutes: { from: 0, until: 440 },
}

it('a case that needs two actors and one fault has only these when it is shortened', async () => {
  const shortest = await shorten(
    found,
    async ({ actors, faults }) =>
      actors.includes('shelters') && actors.includes('careful') && faults.includes('freezes'),
  )

  expect(shortest.actors).toEqual(['shelters', 'careful'])
  expect(shortest.faults).toEqual(['freezes'])
})

it('a case that needs three hours has four when it is shortened', async () => {
  const shortest = await shorten(found, async ({ hours }) => hours >= 3)

  expect(shortest.hours).toBe(4)
})

it('a case that needs the fault of one minute has faults in this minute only', async () => {
  const shortest = await shorten(
    found,
    async ({ faults, faultMinutes: { from, until } }) => faults.includes('kills') && from <= 13 && 13 < until,
  )

  expect(shortest.faultMinutes).toEqual({ from: 13, until: 14 })
})

it('a case that needs no fault has none when it is shortened', async () => {
  const shortest = await shorten(found, async () => true)

  expect(shortest.faults).toEqual([])
})

it('a case that needs everything stays as it is', async () => {
  const shortest = await shorten(found, async () => false)

  expect(shortest).toEqual(found)
})
