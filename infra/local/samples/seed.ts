import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../../shared/clock.ts'
import { readNumber } from '../../../shared/dynamodb/numbers.ts'
import { PetStore } from '../../../shared/pets/pet-store.ts'
import { KeyAdministration } from '../../keys/administration.ts'
import { KeyTable } from '../../keys/key-table.ts'
import { createEdgeKeys } from '../edge-keys/edge-keys.ts'
import { createLocalEdgeRegistry } from '../edge-keys/local-edge-registry.ts'
import type { ResourceNames } from '../resource-names.ts'
import { type DemoKey, issueDemoKeys } from './demo-keys.ts'
import { addSamplePets } from './sample-pets.ts'

/** Adds the sample pets, and the demo keys by way of the administration that operators use. */
export const seed = async (
  client: DynamoDBClient,
  names: ResourceNames,
  keys: readonly DemoKey[],
  clock: Clock,
): Promise<void> => {
  const documents = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: readNumber } })
  const registry = createLocalEdgeRegistry(createEdgeKeys(client), names.usagePlanIds)
  const administration = new KeyAdministration(
    new KeyTable(documents, names.tables.apiKeys),
    registry,
    names.apiKeyPrefix,
    clock,
  )
  await Promise.all([addSamplePets(new PetStore(documents, names.tables.pets)), issueDemoKeys(administration, keys)])
}
