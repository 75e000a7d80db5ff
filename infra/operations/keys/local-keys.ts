import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { KeyHash } from '../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../shared/api-keys/api-key-record.ts'
import { planNames } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { environments, localStage } from '../../environments.ts'
import { createEdgeKeys, type EdgeKeys } from '../target/edge-keys.ts'
import { requireRunningEnvironment } from '../target/environment-file.ts'
import { connect } from '../target/local-database.ts'
import type { ResourceNames } from '../target/resource-names.ts'
import { KeyAdministration } from './administration.ts'
import type { EdgeRegistry } from './edge-registry.ts'
import { KeyTable } from './key-table.ts'

/**
 * The keys of the local environment that runs on a data folder.
 *
 * @throws UserError when none runs there.
 */
export const findLocalKeys = async (dataFolder: string): Promise<KeyAdministration> => {
  const environment = await requireRunningEnvironment(dataFolder)
  return localKeys(connect(environment.databaseEndpoint), environment)
}

/** The keys that live in a local database, under the names that the template gives the tables. */
export const localKeys = (client: DynamoDBClient, names: ResourceNames): KeyAdministration =>
  new KeyAdministration(
    new KeyTable(DynamoDBDocumentClient.from(client), names.tables.apiKeys),
    localEdgeRegistry(createEdgeKeys(client), names.usagePlanIds, systemClock),
    environments[localStage].apiKeyPrefix,
    systemClock,
  )

export const localEdgeRegistry = (
  edgeKeys: EdgeKeys,
  usagePlanIds: ResourceNames['usagePlanIds'],
  clock: Clock,
): EdgeRegistry => ({
  assign: (keyHash, keyId, plan) => {
    const createdAt = Math.floor(clock() / 1_000)
    return edgeKeys.put({ value: keyHash, name: keyId, usagePlanId: usagePlanIds[plan], createdAt })
  },
  move: (keyHash, _keyId, plan) => edgeKeys.move(keyHash, usagePlanIds[plan]),
  remove: (keyHash) => edgeKeys.remove(keyHash),
  list: async () =>
    (await edgeKeys.list()).map(({ value, name, usagePlanId, createdAt }) => ({
      // Nothing but the key administration writes this table.
      keyHash: value as KeyHash,
      keyId: name as KeyId,
      plans: planNames.filter((plan) => usagePlanIds[plan] === usagePlanId),
      createdAt,
    })),
})
