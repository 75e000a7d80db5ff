import { setTimeout } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import {
  type DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import type { KeyHash } from './api-key.ts'
import { type ApiKeyRecord, parseApiKeyRecord } from './api-key-record.ts'

export interface StoredKey {
  readonly keyHash: KeyHash
  readonly record: ApiKeyRecord
}

/** What a command writes: `undefined` removes an attribute. Requests change the counts meanwhile, which it leaves. */
export type KeyChange = Partial<Omit<ApiKeyRecord, 'keyId'>>

/** What a record has of the attributes that a change writes. */
export const pickChangedAttributes = (record: KeyChange, change: KeyChange): KeyChange =>
  Object.fromEntries(Object.keys(change).map((name) => [name, Reflect.get(record, name)]))

/**
 * All of the API keys table but the counting of requests. Each change is one write, on condition that the key is active, and
 * that nobody has changed the same attributes since its record was read.
 */
export class KeyTable {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /** Adds a key; one that is there already stays as it is. */
  async add(stored: StoredKey): Promise<void> {
    await awaitConditionalWrite(this.#client.send(new PutCommand(this.#putting(stored))))
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

  /** @returns the record after it, or `undefined` where the condition is not met */
  async change(stored: StoredKey, change: KeyChange): Promise<ApiKeyRecord | undefined> {
    const returned = { ReturnValues: 'ALL_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const
    const update = new UpdateCommand({ ...this.#changing(stored, change), ...returned })
    const outcome = await awaitConditionalWrite(this.#client.send(update))
    const item = outcome.met ? outcome.result.Attributes : outcome.current
    // A response was lost, and the SDK has found what its first call wrote. Or somebody else has done the same.
    const isDone = Object.entries(change).every(([name, value]) => item?.[name] === value)
    return item !== undefined && isDone ? parseApiKeyRecord(item) : undefined
  }

  /**
   * Changes a key and adds its successor, both or none. A request of that key which meets the transaction is refused by
   * DynamoDB, and tried again (`shared/dynamodb/bounded-retries.ts`).
   *
   * @returns whether it was done: not where the condition is not met
   */
  async replace(stored: StoredKey, change: KeyChange, successor: StoredKey): Promise<boolean> {
    const TransactItems = [{ Put: this.#putting(successor) }, { Update: this.#changing(stored, change) }]
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#client.send(new TransactWriteCommand({ TransactItems }))
        return true
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error
        const [put, update] = (error.CancellationReasons ?? []).map(({ Code }) => Code)
        // A response was lost, and the SDK has found what its first call wrote.
        if (put === 'ConditionalCheckFailed') return true
        if (update === 'ConditionalCheckFailed') return false
        // A request, or another transaction, is on the key. The SDK does not try this again.
        if (update !== 'TransactionConflict' || attempt === maximumReplaceAttempts) throw error
        await setTimeout(attempt * 100 * Math.random())
      }
    }
  }

  #putting({ keyHash, record }: StoredKey) {
    const Item = { keyHash, ...record }
    return { TableName: this.#table, Item, ConditionExpression: 'attribute_not_exists(keyHash)' }
  }

  #changing({ keyHash, record }: StoredKey, change: KeyChange) {
    const set = Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : [`#${name} = :${name}`]))
    const removed = Object.entries(change).flatMap(([name, value]) => (value === undefined ? [`#${name}`] : []))
    const expected = Object.entries({ ...pickChangedAttributes(record, change), state: 'active' })
    return {
      TableName: this.#table,
      Key: { keyHash },
      UpdateExpression: `${clause('SET', set)} ${clause('REMOVE', removed)}`,
      ConditionExpression: expected
        .map(([name, value]) =>
          value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :expected_${name}`,
        )
        .join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(expected.map(([name]) => [`#${name}`, name])),
      // The document client leaves out `undefined`, as in items.
      ExpressionAttributeValues: Object.fromEntries([
        ...Object.entries(change).map(([name, value]) => [`:${name}`, value]),
        ...expected.map(([name, value]) => [`:expected_${name}`, value]),
      ]),
    }
  }
}

const clause = (verb: string, terms: readonly string[]): string =>
  terms.length === 0 ? '' : `${verb} ${terms.join(', ')}`

const maximumReplaceAttempts = 10
