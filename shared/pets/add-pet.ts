/**
 * An *attempt* is the work of one request to add its pet, whatever calls it takes. Its random id is stored with the
 * pet, so that an attempt whose response was lost recognizes its own pet. To *draw* an id is to choose it at random, so
 * that instances need no common counter.
 */
import { randomBytes, randomInt } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { assignPetId, type NewPet, type Pet } from './pet.ts'
import type { PetTable, PutOptions } from './pet-table.ts'

/**
 * Adds a pet under a new id. There are 4,096 ids for each millisecond, so the first is rarely taken, and another is
 * drawn until one is free.
 */
export const addPet = async (table: PetTable, newPet: NewPet, clock: Clock, options?: PutOptions): Promise<Pet> => {
  const attemptId = drawAttemptId()
  for (;;) {
    const pet = assignPetId(drawPetId(clock()), newPet)
    if (await table.put(pet, attemptId, options)) return pet
  }
}

/** Draws the id of an attempt: 64 random bits. */
export const drawAttemptId = (): string => randomBytes(8).toString('base64url')

/** Time of the lowest pet id. Counted from it, 41 bits of milliseconds last until September 2094. */
const firstMoment = Date.UTC(2025, 0, 1)

/** Pet ids of one millisecond. 41 bits of time and 12 random bits below them make at most 2^53 - 1. */
const idsPerMillisecond = 4_096

/**
 * Draws the id of a pet, higher than those of earlier milliseconds. Two ids of one millisecond may be equal: the table
 * then refuses the second, and the caller draws another.
 *
 * @param random returns a random integer from 0 to one below its argument
 */
export const drawPetId = (nowMilliseconds: number, random: (below: number) => number = randomInt): bigint =>
  BigInt(nowMilliseconds - firstMoment) * BigInt(idsPerMillisecond) + BigInt(random(idsPerMillisecond))
