import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateScan,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { conditional } from '../dynamodb/conditional-write.ts'
import type { KeyHash } from './api-key.ts'
import { type ApiKeyRecord, parseApiKeyRecord } from './api-key-record.ts'
import { apiKeysTableSchema } from './api-keys-table-schema.ts'

export interface StoredKey {
  readonly keyHash: KeyHash
  readonly record: ApiKeyRecord
}

/** Every key is of this kind, the partition key of the index. */
const kind = 'api-key'

const { name: indexName } = apiKeysTableSchema.keyIdIndex

/** The API keys table, as the administration uses it. */
export class KeyTable {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /**
   * Adds a key; one that is there already stays as it is.
   *
   * @returns whether it was added. The SDK retries a call whose response was lost, and then finds what the first one wrote.
   */
  async add(keyHash: KeyHash, record: ApiKeyRecord): Promise<boolean> {
    const outcome = await conditional(
      this.#client.send(
        new PutCommand({
          TableName: this.#table,
          Item: { keyHash, kind, ...attributesOf(record) },
          ConditionExpression: 'attribute_not_exists(keyHash) OR keyId = :keyId',
          ExpressionAttributeValues: { ':keyId': record.keyId },
        }),
      ),
    )
    return outcome.met
  }

  async read(keyHash: KeyHash): Promise<ApiKeyRecord | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#table, Key: { keyHash }, ConsistentRead: true }),
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
  async list(): Promise<StoredKey[]> {
    const input = { TableName: this.#table, ConsistentRead: true }
    const pages = await Array.fromAsync(paginateScan({ client: this.#client }, input))
    const items = pages.flatMap(({ Items = [] }) => Items)
    // The table's own partition key.
    const keys = items.map((item) => ({ keyHash: item['keyHash'] as KeyHash, record: parseApiKeyRecord(item) }))
    return keys.toSorted((one, other) => (one.record.keyId < other.record.keyId ? -1 : 1))
  }

  /**
   * Changes some attributes of a record and leaves the others, such as the counts, which requests change meanwhile.
   * `undefined` removes one.
   *
   * @param expected attributes that the record must have for that, or with `undefined` must not have
   * @returns the record after it, or `undefined` where there is none as expected
   */
  async change(
    keyHash: KeyHash,
    changes: Partial<Omit<ApiKeyRecord, 'keyId'>>,
    expected: Partial<ApiKeyRecord> = {},
  ): Promise<ApiKeyRecord | undefined> {
    const changed = Object.entries(changes)
    const set = changed.filter(([, value]) => value !== undefined)
    const removed = changed.filter(([, value]) => value === undefined)
    const conditions = Object.entries(expected)
    const values = [
      ...set.map(([name, value]) => [`:${name}`, value]),
      ...conditions.flatMap(([name, value]) => (value === undefined ? [] : [[`:expected_${name}`, value]])),
    ]
    const outcome = await conditional(
      this.#client.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { keyHash },
          UpdateExpression: [
            ...(set.length > 0 ? [`SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`] : []),
            ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}`] : []),
          ].join(' '),
          ConditionExpression: [
            'attribute_exists(keyHash)',
            ...conditions.map(([name, value]) =>
              value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :expected_${name}`,
            ),
          ].join(' AND '),
          ExpressionAttributeNames: Object.fromEntries([...changed, ...conditions].map(([name]) => [`#${name}`, name])),
          ...(values.length > 0 ? { ExpressionAttributeValues: Object.fromEntries(values) } : {}),
          ReturnValues: 'ALL_NEW',
        }),
      ),
    )
    return outcome.met ? parseApiKeyRecord(outcome.result.Attributes ?? {}) : undefined
  }
}

/** What an item has of a record: DynamoDB stores no `undefined`. */
const attributesOf = (record: ApiKeyRecord): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
