/**
 * An *attempt* is the work of one request to add its pet, whatever calls it takes. Its random id is stored with the pet
 * and tells whose pet it is. To *draw* an id is to choose it at random, so that no instances share a counter.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { assignPetId, type NewPet, type Pet } from './pet.ts'
import { drawPetId } from './pet-id.ts'
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
