import { systemClock } from '../../shared/clock.ts'
import { createDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { environmentVariables as names, readTextVariable } from '../../shared/environment-variables.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { createPet } from './create-pet.ts'

const client = createDocumentClient()

export const handler = createPet(
  {
    pets: new PetStore(client, readTextVariable(names.petsTable)),
    idempotencyTable: readTextVariable(names.idempotencyTable),
  },
  systemClock,
)
