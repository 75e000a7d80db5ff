import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type NewPet, type Pet, withId } from './pet.ts'
import { newPetId } from './pet-id.ts'
import type { PetStore } from './pet-store.ts'

/** Adds a pet under a new id. */
export const addPet = async (store: PetStore, newPet: NewPet, clock: Clock): Promise<Pet> => {
  const attemptId = newAttemptId()
  for (;;) {
    const pet = withId(newPetId(clock()), newPet)
    if ((await store.put(pet, attemptId)) !== 'taken') return pet
  }
}

/** A name for one attempt to create a pet: 64 random bits. */
export const newAttemptId = (): string => randomBytes(8).toString('base64url')
