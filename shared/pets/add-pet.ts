import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { createUnavailableError } from '../errors/service-error.ts'
import { assignPetId, type NewPet, type Pet } from './pet.ts'
import { drawPetId } from './pet-id.ts'
import type { PetStore } from './pet-store.ts'

/** Adds a pet under a new id. */
export const addPet = async (store: PetStore, newPet: NewPet, clock: Clock): Promise<Pet> => {
  const drawId = async () => drawPetId(clock())
  return (await putUnderFreeId(store, newPet, drawAttemptId(), await drawId(), drawId)).pet
}

export interface AddedPet {
  readonly pet: Pet
  /** Whether an earlier call of the same attempt had added it. */
  readonly replayed: boolean
}

/**
 * Stores a pet under an id, or under another one where that is taken or void.
 *
 * @param drawAnother gives the id that follows one that is taken
 * @throws ServiceError `service_unavailable` where too many are taken
 */
export const putUnderFreeId = async (
  store: PetStore,
  newPet: NewPet,
  attemptId: string,
  firstId: bigint,
  drawAnother: (taken: bigint) => Promise<bigint>,
): Promise<AddedPet> => {
  let id = firstId
  for (let drawn = 0; drawn < maximumIds; drawn += 1) {
    const pet = assignPetId(id, newPet)
    const stored = await store.put(pet, attemptId)
    if (stored !== 'taken') return { pet, replayed: stored === 'already_stored' }
    id = await drawAnother(id)
  }
  throw createUnavailableError(new Error(`${maximumIds} ids of pets were taken, one after the other.`))
}

/** A millisecond has 4,096, so a second one is seldom needed. */
const maximumIds = 100

/** A name for one attempt to create a pet: 64 random bits. */
export const drawAttemptId = (): string => randomBytes(8).toString('base64url')
