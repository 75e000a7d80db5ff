import { createDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { environmentVariables as names, readTextVariable } from '../../shared/environment-variables.ts'
import { PetTable } from '../../shared/pets/pet-table.ts'
import { listPets } from './list-pets.ts'

export const handler = listPets({ pets: new PetTable(createDocumentClient(), readTextVariable(names.petsTable)) })
