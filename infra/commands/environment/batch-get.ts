import { setTimeout } from 'node:timers/promises'
import { BatchGetCommand, type BatchGetCommandInput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'

/** Number of keys of one call, which is the maximum of DynamoDB. */
export const keysPerLookup = 100

/** Wait before unprocessed keys are looked up again. DynamoDB returns keys unprocessed when it throttles. */
const throttledMilliseconds = 200

/** A lookup fails if DynamoDB leaves all keys unprocessed for so long. */
const longestThrottledMilliseconds = 30_000

type KeysOfTable = NonNullable<BatchGetCommandInput['RequestItems']>[string]

/**
 * Looks up items by their keys (strongly consistent), unordered. The result has no entry for a key without an item.
 *
 * @example const items = await findItems(client, 'Pets', [{ id: 5n }, { id: 6n }])
 *
 * @param projection the attributes to read; all by default
 * @throws ThrottlingException after half a minute of throttling
 */
export const findItems = async (
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly Attributes[],
  projection: Pick<KeysOfTable, 'ProjectionExpression'> = {},
): Promise<readonly Attributes[]> => {
  const items: Attributes[] = []
  const remainingKeys = [...keys]
  let lastProgress = performance.now()
  while (remainingKeys.length > 0) {
    const requestedKeys = remainingKeys.splice(-keysPerLookup)
    const request = { Keys: requestedKeys, ConsistentRead: true, ...projection }
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [table]: request } }),
    )
    items.push(...(Responses?.[table] ?? []))

    const unprocessedKeys = UnprocessedKeys?.[table]?.Keys ?? []
    remainingKeys.push(...unprocessedKeys)
    if (unprocessedKeys.length < requestedKeys.length) lastProgress = performance.now()
    if (performance.now() - lastProgress > longestThrottledMilliseconds) throw createThrottlingError()
    if (unprocessedKeys.length > 0) await setTimeout(throttledMilliseconds)
  }
  return items
}

const createThrottlingError = (): Error =>
  Object.assign(new Error('DynamoDB leaves all keys unprocessed.'), { name: 'ThrottlingException' })
