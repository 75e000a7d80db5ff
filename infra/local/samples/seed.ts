import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readNumber } from '../../../shared/int64.ts'
import { PetStore } from '../../../shared/pets/pet-store.ts'
import type { ResourceNames } from '../../operations/target/resource-names.ts'
import { addSamplePets } from './sample-pets.ts'

/** Adds the sample pets. */
export const seed = (client: DynamoDBClient, names: ResourceNames): Promise<void> =>
  addSamplePets(
    new PetStore(
      DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: readNumber } }),
      names.tables.pets,
    ),
  )
