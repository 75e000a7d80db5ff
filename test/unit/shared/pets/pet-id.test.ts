import { describe, expect, it } from 'vitest'
import { newPetId } from '../../../../shared/pets/pet-id.ts'

const now = Date.UTC(2026, 10, 2, 9, 30, 17, 400)
const lowest = () => 0
const highest = (below: number) => below - 1

describe('a new pet id', () => {
  it('is higher than every id of an earlier millisecond', () => {
    expect(newPetId(now + 1, lowest)).toBeGreaterThan(newPetId(now, highest))
  })

  it('has 4,096 choices in one millisecond', () => {
    expect(newPetId(now, highest) - newPetId(now, lowest)).toBe(4_095n)
  })

  it('is drawn at random within its millisecond', () => {
    const drawn = new Set(Array.from({ length: 1_000 }, () => newPetId(now)))
    // 1,000 draws from 4,096 give 888 different ones on average; fewer than 800 never happens by chance.
    expect(drawn.size).toBeGreaterThan(800)
  })

  it('is above zero and has at most 53 bits until 2094, so that every JSON client reads it exactly', () => {
    expect(newPetId(Date.UTC(2025, 0, 1, 0, 0, 0, 1), lowest)).toBeGreaterThan(0n)
    expect(newPetId(Date.UTC(2094, 8, 1), highest)).toBeLessThanOrEqual(BigInt(Number.MAX_SAFE_INTEGER))
  })
})
