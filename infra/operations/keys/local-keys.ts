import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { KeyId } from '../../../shared/api-keys/api-key-record.ts'
import { KeyTable } from '../../../shared/api-keys/key-table.ts'
import { planNames } from '../../../shared/api-keys/plans.ts'
import { systemClock } from '../../../shared/clock.ts'
import { environments, localStage } from '../../environments.ts'
import { createEdgeKeys, type EdgeKeys } from '../target/edge-keys.ts'
import { requireRunningEnvironment } from '../target/environment-file.ts'
import { connect } from '../target/local-database.ts'
import type { ResourceNames } from '../target/resource-names.ts'
import { KeyAdministration } from './administration.ts'
import type { EdgeRegistry } from './edge-registry.ts'

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
    localEdgeRegistry(createEdgeKeys(client), names.usagePlanIds),
    environments[localStage].apiKeyPrefix,
    systemClock,
  )

const localEdgeRegistry = (edgeKeys: EdgeKeys, usagePlanIds: ResourceNames['usagePlanIds']): EdgeRegistry => {
  const list = async () =>
    (await edgeKeys.list()).map(({ value, name, usagePlanId }) => ({
      id: value,
      // Nothing but the key administration writes this table.
      keyId: name as KeyId,
      value,
      plans: planNames.filter((plan) => usagePlanIds[plan] === usagePlanId),
    }))
  return {
    put: ({ keyId, gatewayKey = '', plan }) =>
      edgeKeys.put({ value: gatewayKey, name: keyId, usagePlanId: usagePlanIds[plan] }),
    find: async (keyId) => (await list()).filter((key) => key.keyId === keyId),
    list,
    remove: ({ value }) => edgeKeys.remove(value),
  }
}
