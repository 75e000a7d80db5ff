import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { createUnavailableError } from '../errors/service-error.ts'
import { assignPetId, type NewPet, type Pet } from './pet.ts'
import { drawPetId } from './pet-id.ts'
import type { PetStore, PutOutcome } from './pet-store.ts'

/** Maximum number of ids tried for one pet. There are 4,096 ids for each millisecond, so the first is rarely taken. */
const maximumIds = 100

export interface AddedPet {
  readonly pet: Pet
  /** Whether an earlier call of the same attempt had stored the pet. */
  readonly replayed: boolean
}

/** How a pet gets its id. */
interface IdSearch {
  readonly firstId: bigint
  /** Stores the pet under its id, if the id is free. */
  readonly put: (pet: Pet) => Promise<PutOutcome>
  /** Returns the id to try after a taken one. */
  readonly drawAnotherId: (takenId: bigint) => Promise<bigint>
}

/** Adds a pet under a new id. */
export const addPet = async (store: PetStore, newPet: NewPet, clock: Clock): Promise<Pet> => {
  const attemptId = drawAttemptId()
  const { pet } = await putUnderFreeId(newPet, {
    firstId: drawPetId(clock()),
    put: (petWithId) => store.put(petWithId, attemptId),
    drawAnotherId: async () => drawPetId(clock()),
  })
  return pet
}

/**
 * Stores a pet under an id, or under another id if the id is taken.
 *
 * @throws ServiceError `service_unavailable` if too many ids are taken
 */
export const putUnderFreeId = async (newPet: NewPet, { firstId, put, drawAnotherId }: IdSearch): Promise<AddedPet> => {
  let id = firstId
  for (let triedIds = 0; triedIds < maximumIds; triedIds += 1) {
    const pet = assignPetId(id, newPet)
    const outcome = await put(pet)
    if (outcome !== 'taken') return { pet, replayed: outcome === 'already_stored' }
    id = await drawAnotherId(id)
  }
  throw createUnavailableError(new Error(`${maximumIds} ids of pets were taken, one after the other, before ${id}.`))
}

/** Draws the id of one attempt to create a pet: 64 random bits. */
export const drawAttemptId = (): string => randomBytes(8).toString('base64url')
