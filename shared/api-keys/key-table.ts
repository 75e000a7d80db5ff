import { setTimeout } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import {
  type DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import type { KeyHash } from './api-key.ts'
import { type ApiKeyRecord, parseApiKeyRecord } from './api-key-record.ts'

export interface StoredKey {
  readonly keyHash: KeyHash
  readonly record: ApiKeyRecord
}

/** Attributes that a command writes; `undefined` removes an attribute. All other attributes stay as they are. */
export type KeyChange = Partial<Omit<ApiKeyRecord, 'keyId'>>

/** Picks from a record the present values of the attributes that a change writes. */
export const pickChangedAttributes = (record: KeyChange, change: KeyChange): KeyChange =>
  Object.fromEntries(Object.keys(change).map((name) => [name, Reflect.get(record, name)]))

/** The most attempts to replace a key, while requests or other transactions write the key. */
const maximumReplaceAttempts = 10

/**
 * Everything operators do with the API keys table. `RequestCounter` counts requests. Each change is one write, on the
 * condition that the key is active and that the attributes to change are still as they were read.
 *
 * @example
 * const [stored] = await table.list()
 * if (stored) await table.change(stored, { owner: 'Umbrella', contact: undefined })
 */
export class KeyTable {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /** Adds a key. A key that is already in the table stays as it is. */
  async add(stored: StoredKey): Promise<void> {
    await awaitConditionalWrite(this.#client.send(new PutCommand(this.#createPut(stored))))
  }

  /** Lists all keys (strongly consistent), in the order in which they were issued. */
  async list(): Promise<StoredKey[]> {
    const input = { TableName: this.#table, ConsistentRead: true }
    const pages = await Array.fromAsync(paginateScan({ client: this.#client }, input))
    const items = pages.flatMap(({ Items = [] }) => Items)
    const keys = items.map((item) => ({
      // The partition key of the table, which is always a KeyHash.
      keyHash: item['keyHash'] as KeyHash,
      record: parseApiKeyRecord(item),
    }))
    return keys.toSorted((one, other) => (one.record.keyId < other.record.keyId ? -1 : 1))
  }

  /** Changes a key. Returns the record after the change, or `undefined` if the condition is not met. */
  async change(stored: StoredKey, change: KeyChange): Promise<ApiKeyRecord | undefined> {
    const update = new UpdateCommand({
      ...this.#createUpdate(stored, change),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    const outcome = await awaitConditionalWrite(this.#client.send(update))
    const item = outcome.met ? outcome.result.Attributes : outcome.current

    // The item may have the new values although the condition is not met: the response to the first attempt was lost
    // and the SDK repeated the write, or somebody else made the same change.
    const isChanged = Object.entries(change).every(([name, value]) => item?.[name] === value)
    return item !== undefined && isChanged ? parseApiKeyRecord(item) : undefined
  }

  /**
   * Changes a key and adds its successor, both or none. While the transaction runs, DynamoDB rejects other writes of
   * the key, such as the counting of a request. The authorizer retries these (`shared/dynamodb/bounded-retries.ts`).
   *
   * @returns whether the key is replaced: false if the condition of the change is not met
   */
  async replace(stored: StoredKey, change: KeyChange, successor: StoredKey): Promise<boolean> {
    const writes = [{ Put: this.#createPut(successor) }, { Update: this.#createUpdate(stored, change) }]
    for (let attempt = 1; attempt < maximumReplaceAttempts; attempt += 1) {
      try {
        return await this.#replaceOnce(writes)
      } catch (error) {
        const [, update] = findCancellationCodes(error)
        // A request or another transaction is writing the key. The SDK does not retry this error.
        if (update !== 'TransactionConflict') throw error
      }
      await setTimeout(attempt * 100 * Math.random())
    }
    // The last attempt. Its error is not caught.
    return this.#replaceOnce(writes)
  }

  async #replaceOnce(writes: TransactWriteCommandInput['TransactItems']): Promise<boolean> {
    try {
      await this.#client.send(new TransactWriteCommand({ TransactItems: writes }))
      return true
    } catch (error) {
      const [put, update] = findCancellationCodes(error)
      // The successor is in the table: a response was lost, and the SDK repeated the transaction.
      if (put === 'ConditionalCheckFailed') return true
      if (update === 'ConditionalCheckFailed') return false
      throw error
    }
  }

  #createPut({ keyHash, record }: StoredKey) {
    return {
      TableName: this.#table,
      Item: { keyHash, ...record },
      ConditionExpression: 'attribute_not_exists(keyHash)',
    }
  }

  #createUpdate({ keyHash, record }: StoredKey, change: KeyChange) {
    const names: Record<string, string> = {}
    const values: Record<string, unknown> = {}

    const assignments: string[] = []
    const removals: string[] = []
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) {
        removals.push(`#${name}`)
      } else {
        assignments.push(`#${name} = :${name}`)
        values[`:${name}`] = value
      }
    }

    const conditions: string[] = []
    const expected = { ...pickChangedAttributes(record, change), state: 'active' }
    for (const [name, value] of Object.entries(expected)) {
      names[`#${name}`] = name
      if (value === undefined) {
        conditions.push(`attribute_not_exists(#${name})`)
      } else {
        conditions.push(`#${name} = :expected_${name}`)
        values[`:expected_${name}`] = value
      }
    }

    return {
      TableName: this.#table,
      Key: { keyHash },
      UpdateExpression: `${formatClause('SET', assignments)} ${formatClause('REMOVE', removals)}`,
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    }
  }
}

const formatClause = (verb: string, terms: readonly string[]): string =>
  terms.length === 0 ? '' : `${verb} ${terms.join(', ')}`

/** Finds why DynamoDB canceled a transaction: the code of each write, in their order. Other errors have no codes. */
const findCancellationCodes = (error: unknown): readonly (string | undefined)[] => {
  if (!(error instanceof TransactionCanceledException)) return []
  return (error.CancellationReasons ?? []).map(({ Code }) => Code)
}
