import type { Clock } from '../../shared/clock.ts'
import { getPet as contract } from '../../shared/contract/generated/get-pet.ts'
import { createOperationHandler } from '../../shared/http/operation.ts'
import { ok } from '../../shared/http/response/response.ts'
import type { PetTable } from '../../shared/pets/pet-table.ts'
import { ServiceError } from '../../shared/service-error.ts'

/** `GET /pets/{petId}`: finds one pet by its id. The operation is deprecated; its sunset stands in the contract. */
export const getPet = ({ pets }: { readonly pets: PetTable }, clock: Clock) =>
  createOperationHandler(
    contract,
    async ({ path }, _event, signal) => {
      const pet = await pets.find(path.petId, signal)
      if (pet === undefined) throw new ServiceError('pet_not_found')
      return ok(pet)
    },
    clock,
  )
