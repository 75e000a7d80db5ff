/** How far an item is used in a window, while its share of a limit changes. */
export interface Share {
  readonly count: number
  /** Its share at present, after whatever was more than the new one was taken from it; 0 where it does not count yet. */
  readonly limit: number
  /** Its new share. */
  readonly target: number
}

export interface Charge {
  /** What is added to its count, because it was counted elsewhere. */
  readonly charged: number
  /** What is taken from its count, because it is charged elsewhere. */
  readonly relieved: number
}

/**
 * What each item is charged with and relieved of, so that what was counted beyond new shares stays used. It goes to
 * what items are yet to be given, which no request can use up meanwhile; to what they have left only where that is
 * not enough; and beyond the limit to the first, the root, where there is no room at all.
 */
export const chargesOf = (shares: readonly Share[]): readonly Charge[] => {
  const excess = shares.map(({ count, target }) => Math.max(0, count - target))
  const toBeGiven = shares.map(({ count, limit, target }) => Math.max(0, target - Math.max(limit, count)))
  const left = shares.map(({ count, limit }) => Math.max(0, limit - count))
  const onGiven = spread(sum(excess), toBeGiven)
  const onLeft = spread(sum(excess) - sum(onGiven), left)
  const beyond = sum(excess) - sum(onGiven) - sum(onLeft)
  return shares.map((_share, index) => {
    const charged = (onGiven[index] ?? 0) + (onLeft[index] ?? 0) + (index === 0 ? beyond : 0)
    const relieved = excess[index] ?? 0
    return { charged: Math.max(0, charged - relieved), relieved: Math.max(0, relieved - charged) }
  })
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0)

/** Spreads an amount in proportion to the rooms and in whole numbers, never more than a room takes. */
const spread = (amount: number, rooms: readonly number[]): readonly number[] => {
  const all = sum(rooms)
  if (all === 0) return rooms
  // BigInt, because the product of two counts may be beyond what a number holds exactly.
  const upTo = (room: number): number => Number((BigInt(Math.min(amount, all)) * BigInt(room)) / BigInt(all))
  let before = 0
  return rooms.map((room) => {
    before += room
    return upTo(before) - upTo(before - room)
  })
}
