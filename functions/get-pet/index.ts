import { systemClock } from '../../shared/clock.ts'
import { createDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { environmentVariables as names, readTextVariable } from '../../shared/environment-variables.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { getPet } from './get-pet.ts'

export const handler = getPet(
  { pets: new PetStore(createDocumentClient(), readTextVariable(names.petsTable)) },
  systemClock,
)
