import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { createUnavailableError } from '../errors/service-error.ts'
import { assignPetId, type NewPet, type Pet } from './pet.ts'
import { drawPetId } from './pet-id.ts'
import type { PetStore } from './pet-store.ts'

/** Maximum number of ids tried for one pet. There are 4,096 ids for each millisecond, so the first is rarely taken. */
const maximumIds = 100

export interface AddedPet {
  readonly pet: Pet
  /** Whether an earlier call of the same attempt had stored the pet. */
  readonly replayed: boolean
}

/** Adds a pet under a new id. */
export const addPet = async (store: PetStore, newPet: NewPet, clock: Clock): Promise<Pet> => {
  const drawId = async (): Promise<bigint> => drawPetId(clock())
  const { pet } = await putUnderFreeId(store, newPet, drawAttemptId(), await drawId(), drawId)
  return pet
}

/**
 * Stores a pet under an id, or under another id if `store.put` finds the id taken.
 *
 * @param drawAnotherId returns the id to try after a taken one
 * @throws ServiceError `service_unavailable` if too many ids are taken
 */
export const putUnderFreeId = async (
  store: PetStore,
  newPet: NewPet,
  attemptId: string,
  firstId: bigint,
  drawAnotherId: (takenId: bigint) => Promise<bigint>,
): Promise<AddedPet> => {
  let id = firstId
  for (let triedIds = 0; triedIds < maximumIds; triedIds += 1) {
    const pet = assignPetId(id, newPet)
    const outcome = await store.put(pet, attemptId)
    if (outcome !== 'taken') return { pet, replayed: outcome === 'already_stored' }
    id = await drawAnotherId(id)
  }
  throw createUnavailableError(new Error(`${maximumIds} ids of pets were taken, one after the other.`))
}

/** Draws the id of one attempt to create a pet: 64 random bits. */
export const drawAttemptId = (): string => randomBytes(8).toString('base64url')
