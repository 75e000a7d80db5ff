import { randomInt } from 'node:crypto'

/** Time of the lowest id. Counted from it, 41 bits of milliseconds last until September 2094. */
const firstMoment = Date.UTC(2025, 0, 1)

/** Ids of one millisecond. 41 bits of time and 12 random bits below them make at most 2^53 - 1. */
const idsPerMillisecond = 4_096

/**
 * Draws a new id, higher than those of earlier milliseconds, without a counter shared by all instances. Two ids of one
 * millisecond may be equal: the table then refuses the second, and the caller draws another.
 *
 * @param random returns a random integer from 0 to one below its argument
 */
export const drawPetId = (nowMilliseconds: number, random: (below: number) => number = randomInt): bigint =>
  BigInt(nowMilliseconds - firstMoment) * BigInt(idsPerMillisecond) + BigInt(random(idsPerMillisecond))
