import type { Clock } from '../../shared/clock.ts'
import { createPet as contract } from '../../shared/contract/generated/create-pet.ts'
import { createOperationHandler } from '../../shared/http/operation.ts'
import { created } from '../../shared/http/response.ts'
import { addPetOnce } from '../../shared/idempotency/add-pet-once.ts'
import { createReservationId, type ReservationStore } from '../../shared/idempotency/reservations.ts'
import { addPet } from '../../shared/pets/add-pet.ts'
import type { PetStore } from '../../shared/pets/pet-store.ts'

/** `POST /pets`: adds a pet; with an `Idempotency-Key`, once for all requests with that key. */
export const createPet = (stores: { readonly pets: PetStore; readonly reservations: ReservationStore }, clock: Clock) =>
  createOperationHandler(contract, async ({ headers, body }, event) => {
    // The authorizer passes both from the API key's record.
    const { keyId, idempotencyScope } = event.requestContext.authorizer
    const pets = stores.pets.forApiKey(keyId)
    const idempotencyKey = headers['Idempotency-Key']
    if (idempotencyKey === undefined) return created(await addPet(pets, body, clock))
    const reservation = createReservationId(idempotencyScope, idempotencyKey)
    const { pet, replayed } = await addPetOnce({ ...stores, pets }, reservation, body, clock)
    return created(pet, replayed ? { 'Idempotency-Replayed': 'true' } : {})
  })
