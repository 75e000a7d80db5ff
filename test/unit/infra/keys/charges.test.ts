import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chargesOf, type Share } from '../../../../infra/keys/sharding/charges.ts'

const count = fc.integer({ min: 0, max: 1_000_000_000 })

/** Items after their limits were lowered: none has more than its new share. */
const shares: fc.Arbitrary<Share[]> = fc.array(
  fc
    .record({ count, before: count, target: count })
    .map(({ before, ...share }) => ({ ...share, limit: Math.min(before, share.target) })),
  { minLength: 1, maxLength: 20 },
)

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0)

const countsAfter = (given: readonly Share[]): number[] =>
  chargesOf(given).map(({ charged, relieved }, index) => (given[index]?.count ?? 0) + charged - relieved)

describe('the counts of items whose shares change', () => {
  it('add up to what they were', () => {
    fc.assert(
      fc.property(shares, (given) => {
        expect(sum(countsAfter(given))).toBe(sum(given.map((share) => share.count)))
      }),
    )
  })

  it('leave as much as the new limit has left', () => {
    fc.assert(
      fc.property(shares, (given) => {
        const room = sum(countsAfter(given).map((after, index) => Math.max(0, (given[index]?.target ?? 0) - after)))
        const limit = sum(given.map((share) => share.target))
        expect(room).toBe(Math.max(0, limit - sum(given.map((share) => share.count))))
      }),
    )
  })

  it('rise first where nothing can be counted yet', () => {
    expect(
      chargesOf([
        { count: 30, limit: 20, target: 20 },
        { count: 12, limit: 20, target: 20 },
        { count: 0, limit: 0, target: 20 },
        { count: 0, limit: 0, target: 20 },
      ]).map(({ charged }) => charged),
    ).toEqual([0, 0, 5, 5])
  })

  it('stay as they are where every item has room for its own', () => {
    fc.assert(
      fc.property(shares, (given) => {
        const fitting = given.map((share) => ({ ...share, count: Math.min(share.count, share.target) }))
        expect(chargesOf(fitting)).toEqual(fitting.map(() => ({ charged: 0, relieved: 0 })))
      }),
    )
  })
})
