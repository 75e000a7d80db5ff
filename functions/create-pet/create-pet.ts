import type { Clock } from '../../shared/clock.ts'
import { createPet as contract } from '../../shared/contract/generated/create-pet.ts'
import { createOperationHandler } from '../../shared/http/operation.ts'
import { created } from '../../shared/http/response/response.ts'
import { addPetOnce } from '../../shared/idempotency/add-pet-once.ts'
import { createReservationId, type ReservationStore } from '../../shared/idempotency/reservations.ts'
import { addPet } from '../../shared/pets/add-pet.ts'
import type { PetStore } from '../../shared/pets/pet-store.ts'

interface Stores {
  readonly pets: PetStore
  readonly reservations: ReservationStore
}

/** `POST /pets`: adds a pet. Requests with the same `Idempotency-Key` add it once. */
export const createPet = ({ pets, reservations }: Stores, clock: Clock) =>
  createOperationHandler(contract, async ({ headers, body }, event) => {
    // The authorizer passes both ids from the record of the API key.
    const { keyId, idempotencyScope } = event.requestContext.authorizer
    const petsOfKey = pets.forApiKey(keyId)

    const idempotencyKey = headers['Idempotency-Key']
    if (idempotencyKey === undefined) {
      const pet = await addPet(petsOfKey, body, clock)
      return created(pet)
    }

    const stores = { pets: petsOfKey, reservations }
    const reservationId = createReservationId(idempotencyScope, idempotencyKey)
    const { pet, replayed } = await addPetOnce(stores, reservationId, body, clock)
    return created(pet, replayed ? { 'Idempotency-Replayed': 'true' } : {})
  })
