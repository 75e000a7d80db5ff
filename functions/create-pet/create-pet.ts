import type { Clock } from '../../shared/clock.ts'
import { createPet as contract } from '../../shared/contract/generated/create-pet.ts'
import { createOperationHandler } from '../../shared/http/operation.ts'
import { created } from '../../shared/http/response/response.ts'
import { addPetOnce, type Tables } from '../../shared/idempotency/add-pet-once.ts'
import { createRecordId } from '../../shared/idempotency/idempotency-record.ts'
import { addPet } from '../../shared/pets/add-pet.ts'
import { type NewPet, newPetDefaults } from '../../shared/pets/pet.ts'

/** `POST /pets`: adds a pet. Requests with the same `Idempotency-Key` add it once. */
export const createPet = (tables: Tables, clock: Clock) =>
  createOperationHandler(contract, async ({ headers, body }, event, signal) => {
    // The authorizer passes both ids from the record of the API key.
    const { keyId, idempotencyScope } = event.requestContext.authorizer
    const options = { addedBy: keyId, signal }
    const newPet: NewPet = { ...newPetDefaults, ...body }

    const idempotencyKey = headers['Idempotency-Key']
    if (idempotencyKey === undefined) {
      const pet = await addPet(tables.pets, newPet, clock, options)
      return created(pet)
    }

    const recordId = createRecordId(idempotencyScope, idempotencyKey)
    const { pet, replayed } = await addPetOnce(tables, recordId, newPet, clock, options)
    return created(pet, replayed ? { 'Idempotency-Replayed': 'true' } : {})
  })
