import { expect, it } from 'vitest'
import { drawPetId } from '../../../../shared/pets/add-pet.ts'

const drawLowest = () => 0
const drawHighest = (below: number) => below - 1

it('an id is one of 4,096 in its millisecond, above the ids of earlier milliseconds', () => {
  const now = Date.UTC(2026, 10, 2)

  expect(drawPetId(now, drawHighest)).toBe(drawPetId(now, drawLowest) + 4_095n)
  expect(drawPetId(now + 1, drawLowest)).toBe(drawPetId(now, drawHighest) + 1n)
})

it('ids count from the beginning of 2025', () => {
  const firstMoment = Date.UTC(2025, 0, 1)

  expect(drawPetId(firstMoment, () => 0)).toBe(0n)
  expect(drawPetId(firstMoment, () => 1)).toBe(1n)
})

it('ids are exact in JavaScript until September 2094', () => {
  expect(drawPetId(Date.UTC(2094, 8, 1), drawHighest)).toBeLessThanOrEqual(BigInt(Number.MAX_SAFE_INTEGER))
})

it('ids of one millisecond are random', () => {
  const ids = new Set(Array.from({ length: 1_000 }, () => drawPetId(Date.UTC(2026, 10, 2))))

  // 1,000 draws from 4,096 give 888 different ids on average. Fewer than 800 never happens by chance.
  expect(ids.size).toBeGreaterThan(800)
})
