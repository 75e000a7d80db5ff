import { createDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { environmentVariables as names, readTextVariable } from '../../shared/environment-variables.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { listPets } from './list-pets.ts'

export const handler = listPets({ pets: new PetStore(createDocumentClient(), readTextVariable(names.petsTable)) })
