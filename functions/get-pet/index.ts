import { systemClock } from '../../shared/clock.ts'
import { createDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { environmentVariables as names, readTextVariable } from '../../shared/environment-variables.ts'
import { PetTable } from '../../shared/pets/pet-table.ts'
import { getPet } from './get-pet.ts'

export const handler = getPet(
  { pets: new PetTable(createDocumentClient(), readTextVariable(names.petsTable)) },
  systemClock,
)
