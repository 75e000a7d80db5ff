import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readNumber } from '../../../shared/int64.ts'
import { PetStore } from '../../../shared/pets/pet-store.ts'
import { localKeys } from '../../operations/keys/local-keys.ts'
import type { ResourceNames } from '../../operations/target/resource-names.ts'
import { type DemoKey, issueDemoKeys } from './demo-keys.ts'
import { addSamplePets } from './sample-pets.ts'

/** Adds the sample pets, and the demo keys by way of the administration that operators use. */
export const seed = async (client: DynamoDBClient, names: ResourceNames, keys: readonly DemoKey[]): Promise<void> => {
  const documents = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: readNumber } })
  await Promise.all([
    addSamplePets(new PetStore(documents, names.tables.pets)),
    issueDemoKeys(localKeys(client, names), keys),
  ])
}
