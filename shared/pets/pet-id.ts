import { randomInt } from 'node:crypto'

/** Identifiers count from here, so that 41 bits of milliseconds last until September 2094. */
const beginning = Date.UTC(2025, 0, 1)

/** The number of ids in one millisecond: 12 random bits below its 41 bits of time make at most 2^53 - 1. */
const idsPerMillisecond = 4_096

/**
 * A new identifier, higher than those of earlier milliseconds, without a counter shared by all instances. Two of one millisecond may be equal: the store refuses the second, and the caller draws another.
 */
export const drawPetId = (now: number, random: (below: number) => number = randomInt): bigint =>
  BigInt(now - beginning) * BigInt(idsPerMillisecond) + BigInt(random(idsPerMillisecond))
