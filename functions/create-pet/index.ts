import { systemClock } from '../../shared/clock.ts'
import { createDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { environmentVariables as names, readTextVariable } from '../../shared/environment-variables.ts'
import { PetTable } from '../../shared/pets/pet-table.ts'
import { createPet } from './create-pet.ts'

const client = createDocumentClient()

export const handler = createPet(
  {
    pets: new PetTable(client, readTextVariable(names.petsTable)),
    idempotencyTable: readTextVariable(names.idempotencyTable),
  },
  systemClock,
)
