import { isDeepStrictEqual } from 'node:util'
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { KeyHash } from '../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, parseApiKeyRecord, type Sharding } from '../../shared/api-keys/api-key-record.ts'
import { apiKeysTable } from '../../shared/api-keys/api-keys-table.ts'
import type { ItemKey } from '../../shared/api-keys/shards.ts'
import { conditional } from '../../shared/dynamodb/conditional-write.ts'

/** What a listing tells of a key; its counts stand only in the record. */
export interface ListedKey {
  readonly keyHash: string
  readonly keyId: string
  readonly owner: string
  readonly plan: string
  readonly state: string
  readonly minuteLimit: number
  readonly dayLimit: number
  /** Unix seconds. */
  readonly createdAt: number
  readonly expiresAt: number | undefined
}

export interface StoredKey {
  readonly keyHash: KeyHash
  readonly record: ApiKeyRecord
}

/** Every key's own item is of this kind, so that one partition of the index lists them. Its further shards are of none. */
const kind = 'api-key'

const { name: indexName } = apiKeysTable.keyIdIndex

/** The API keys table, as the administration uses it. */
export class KeyTable {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /** Adds a key; one that is there already stays as it is. */
  async add(keyHash: KeyHash, record: ApiKeyRecord): Promise<'added' | 'exists'> {
    const outcome = await conditional(
      this.#client.send(
        new PutCommand({
          TableName: this.#table,
          Item: { keyHash, kind, ...attributesOf(record) },
          ConditionExpression: 'attribute_not_exists(keyHash)',
        }),
      ),
    )
    return outcome.met ? 'added' : 'exists'
  }

  /** Puts a shard where there is none, or where it was given up or never used. @returns whether it is there now. */
  async putShard(item: ItemKey, record: ApiKeyRecord): Promise<boolean> {
    const outcome = await conditional(
      this.#client.send(
        new PutCommand({
          TableName: this.#table,
          Item: { keyHash: item, ...attributesOf(record) },
          ConditionExpression: 'attribute_not_exists(keyHash) OR #state = :revoked OR dayWindow = :never',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':revoked': 'revoked', ':never': 0 },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    )
    if (outcome.met) return true
    // The SDK repeats a call whose answer was lost, and then finds what the first one wrote.
    const { current } = outcome
    return current !== undefined && isDeepStrictEqual(attributesOf(parseApiKeyRecord(current)), attributesOf(record))
  }

  async read(item: ItemKey): Promise<ApiKeyRecord | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#table, Key: { keyHash: item }, ConsistentRead: true }),
    )
    return Item === undefined ? undefined : parseApiKeyRecord(Item)
  }

  async find(keyId: string): Promise<StoredKey | undefined> {
    const { Items } = await this.#client.send(
      new QueryCommand({
        TableName: this.#table,
        IndexName: indexName,
        KeyConditionExpression: 'kind = :kind AND keyId = :keyId',
        ExpressionAttributeValues: { ':kind': kind, ':keyId': keyId },
      }),
    )
    const found: unknown = Items?.[0]?.['keyHash']
    if (typeof found !== 'string') return undefined
    // The table's own partition key: what was stored as one is one.
    const keyHash = found as KeyHash
    const record = await this.read(keyHash)
    return record === undefined ? undefined : { keyHash, record }
  }

  /** All keys, in the order in which they were issued. */
  async list(): Promise<ListedKey[]> {
    const keys: ListedKey[] = []
    let start: Record<string, unknown> | undefined
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#table,
          IndexName: indexName,
          KeyConditionExpression: 'kind = :kind',
          ExpressionAttributeValues: { ':kind': kind },
          ...(start === undefined ? {} : { ExclusiveStartKey: start }),
        }),
      )
      // The index projects just these attributes of records that this service wrote.
      keys.push(...((page.Items ?? []) as ListedKey[]))
      start = page.LastEvaluatedKey
    } while (start !== undefined)
    return this.#withWholeLimits(keys)
  }

  /** The index has only the root's share of a sharded key. Only keys of the one plan without fixed limits have shards. */
  async #withWholeLimits(keys: readonly ListedKey[]): Promise<ListedKey[]> {
    const hashes = keys.flatMap(({ plan, keyHash }) => (plan === 'enterprise' ? keyHash : []))
    const shardings = new Map<unknown, Sharding>()
    for (let start = 0; start < hashes.length; start += mostInBatch) {
      const Keys = hashes.slice(start, start + mostInBatch).map((keyHash) => ({ keyHash }))
      let left: BatchGetCommandInput['RequestItems'] = {
        [this.#table]: { Keys, ProjectionExpression: 'keyHash, sharding' },
      }
      while (left !== undefined && Object.keys(left).length > 0) {
        const page: BatchGetCommandOutput = await this.#client.send(new BatchGetCommand({ RequestItems: left }))
        for (const { keyHash, sharding } of page.Responses?.[this.#table] ?? []) {
          if (sharding !== undefined) shardings.set(keyHash, sharding)
        }
        left = page.UnprocessedKeys
      }
    }
    return keys.map((key) => ({ ...key, ...limitsOf(shardings.get(key.keyHash) ?? key) }))
  }

  /**
   * Changes some attributes of an item and leaves the others, such as the counts, which requests change meanwhile.
   * `undefined` removes one.
   *
   * @returns the record after it, or `undefined` where there is no such item, or it is not as `given` says
   */
  async change(
    item: ItemKey,
    changes: Partial<Omit<ApiKeyRecord, 'keyId'>>,
    { added = {}, given = {} }: { added?: AddedCounts; given?: Partial<ApiKeyRecord> } = {},
  ): Promise<ApiKeyRecord | undefined> {
    const changed = Object.entries(changes)
    const set = changed.filter(([, value]) => value !== undefined)
    const removed = changed.filter(([, value]) => value === undefined)
    const raised = Object.entries(added)
    const expected = Object.entries(given)
    const assignments = [
      ...set.map(([name]) => `#${name} = :${name}`),
      ...raised.map(([name]) => `#${name} = #${name} + :${name}`),
    ]
    const conditions = ['attribute_exists(keyHash)', ...expected.map(([name]) => `#${name} = :given_${name}`)]
    const values = [
      ...[...set, ...raised].map(([name, value]) => [`:${name}`, value]),
      ...expected.map(([name, value]) => [`:given_${name}`, value]),
    ]
    const outcome = await conditional(
      this.#client.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { keyHash: item },
          UpdateExpression: [
            ...(assignments.length > 0 ? [`SET ${assignments.join(', ')}`] : []),
            ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}`] : []),
          ].join(' '),
          ConditionExpression: conditions.join(' AND '),
          ExpressionAttributeNames: Object.fromEntries(
            [...changed, ...raised, ...expected].map(([name]) => [`#${name}`, name]),
          ),
          ...(values.length > 0 ? { ExpressionAttributeValues: Object.fromEntries(values) } : {}),
          ReturnValues: 'ALL_NEW',
        }),
      ),
    )
    return outcome.met ? parseApiKeyRecord(outcome.result.Attributes ?? {}) : undefined
  }
}

export type AddedCounts = Partial<Pick<ApiKeyRecord, 'minuteCount' | 'dayCount'>>

/** What an item has of a record: DynamoDB stores no `undefined`. */
const attributesOf = (record: ApiKeyRecord): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

/** What one BatchGetItem reads at most. */
const mostInBatch = 100

const limitsOf = ({ minuteLimit, dayLimit }: Pick<ListedKey, 'minuteLimit' | 'dayLimit'>) => ({ minuteLimit, dayLimit })
