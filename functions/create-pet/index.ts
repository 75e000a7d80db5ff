import { systemClock } from '../../shared/clock.ts'
import { documentClient } from '../../shared/dynamodb/document-client.ts'
import { environmentVariables as names, readText } from '../../shared/environment-variables.ts'
import { ReservationStore } from '../../shared/idempotency/reservations.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { createPet } from './create-pet.ts'

const client = documentClient()

export const handler = createPet(
  {
    pets: new PetStore(client, readText(names.petsTable)),
    reservations: new ReservationStore(client, readText(names.idempotencyTable)),
  },
  systemClock,
)
