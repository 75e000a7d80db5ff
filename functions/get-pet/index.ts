import { systemClock } from '../../shared/clock.ts'
import { documentClient } from '../../shared/dynamodb/document-client.ts'
import { environmentVariables as names, readText } from '../../shared/environment-variables.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { getPet } from './get-pet.ts'

export const handler = getPet({ pets: new PetStore(documentClient(), readText(names.petsTable)) }, systemClock)
