import { setTimeout } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateScan,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { conditional } from '../dynamodb/conditional-write.ts'
import type { KeyHash } from './api-key.ts'
import { type ApiKeyRecord, parseApiKeyRecord } from './api-key-record.ts'

export interface StoredKey {
  readonly keyHash: KeyHash
  readonly record: ApiKeyRecord
}

/** What a command writes: `undefined` removes an attribute. Requests change the counts meanwhile, which it leaves. */
export type KeyChange = Partial<Omit<ApiKeyRecord, 'keyId'>>

/** Attributes that a record must have for a write, or with `undefined` must not have. */
export type Expected = Partial<ApiKeyRecord>

/** All of the API keys table but the counting of requests. Each change is one write. */
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
  async add({ keyHash, record }: StoredKey): Promise<boolean> {
    const outcome = await conditional(
      this.#client.send(
        new PutCommand({ ...this.#putting({ keyHash, record }), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      ),
    )
    return outcome.met || outcome.current?.['keyId'] === record.keyId
  }

  async read(keyHash: KeyHash): Promise<ApiKeyRecord | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#table, Key: { keyHash }, ConsistentRead: true }),
    )
    return Item === undefined ? undefined : parseApiKeyRecord(Item)
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

  /** @returns the record after it, or `undefined` where there is none as expected */
  async change(keyHash: KeyHash, change: KeyChange, expected: Expected = {}): Promise<ApiKeyRecord | undefined> {
    const update = new UpdateCommand({ ...this.#changing(keyHash, change, expected), ReturnValues: 'ALL_NEW' })
    const outcome = await conditional(this.#client.send(update))
    return outcome.met ? parseApiKeyRecord(outcome.result.Attributes ?? {}) : undefined
  }

  /**
   * Adds a key and changes the one that it replaces, both or none. A request of that one which meets the transaction is
   * refused by DynamoDB, and tried again (`shared/dynamodb/bounded-retries.ts`).
   *
   * @returns whether it was done: not where the replaced key is not as expected
   */
  async replace(keyHash: KeyHash, change: KeyChange, expected: Expected, successor: StoredKey): Promise<boolean> {
    const TransactItems = [{ Update: this.#changing(keyHash, change, expected) }, { Put: this.#putting(successor) }]
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#client.send(new TransactWriteCommand({ TransactItems }))
        return true
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error
        const reasons = (error.CancellationReasons ?? []).map(({ Code }) => Code)
        // A response was lost, and the SDK has found what its first call wrote.
        if (reasons.includes('ConditionalCheckFailed')) return (await this.read(successor.keyHash)) !== undefined
        // Another transaction is on one of the keys. The SDK does not try this again.
        if (!reasons.includes('TransactionConflict') || attempt === maximumAttempts) throw error
        await setTimeout(attempt * 100 * Math.random())
      }
    }
  }

  #putting({ keyHash, record }: StoredKey) {
    // DynamoDB stores no `undefined`.
    const attributes = Object.entries(record).filter(([, value]) => value !== undefined)
    return {
      TableName: this.#table,
      Item: { keyHash, ...Object.fromEntries(attributes) },
      ConditionExpression: 'attribute_not_exists(keyHash)',
    }
  }

  #changing(keyHash: KeyHash, change: KeyChange, expected: Expected) {
    const changed = Object.entries(change)
    const set = changed.filter(([, value]) => value !== undefined)
    const removed = changed.filter(([, value]) => value === undefined)
    const conditions = Object.entries(expected)
    const values = [
      ...set.map(([name, value]) => [`:${name}`, value]),
      ...conditions.flatMap(([name, value]) => (value === undefined ? [] : [[`:expected_${name}`, value]])),
    ]
    return {
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
      ...(values.length > 0 && { ExpressionAttributeValues: Object.fromEntries(values) }),
    }
  }
}

const maximumAttempts = 10
