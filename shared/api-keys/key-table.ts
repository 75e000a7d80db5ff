import { randomBytes } from 'node:crypto'
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
import { type Attributes, awaitConditionalWrite, type ConditionalOutcome } from '../dynamodb/conditional-write.ts'
import { isTransactionConflict } from '../dynamodb/store-errors.ts'
import type { KeyHash } from './api-key.ts'
import { type ApiKeyRecord, nameKey, type StoredKey } from './api-key-record.ts'

/** A key to add. */
export interface NewKey {
  readonly keyHash: KeyHash
  readonly record: ApiKeyRecord
}

/** Attributes that a command writes; `undefined` removes an attribute. All other attributes stay as they are. */
export type KeyChange = Partial<Omit<ApiKeyRecord, 'keyId'>>

/** Whether an item has the attributes that a change writes. */
export const hasChangedAttributes = (item: Attributes, change: KeyChange): boolean =>
  Object.entries(change).every(([name, value]) => item[name] === value)

/** The terms that a successor has from the key that it replaces. */
const inheritedTerms = [
  'owner',
  'contact',
  'plan',
  'scope',
  'expiresAt',
  'minuteLimit',
  'dayLimit',
] as const satisfies readonly (keyof ApiKeyRecord)[]

/** Attribute with the id of the last change, which tells a change from the same one of another command. */
export const lastChangeId = 'lastChangeId'

/** The most attempts of a write that DynamoDB rejects for a time. The waits between them are 2.25 s on average. */
const maximumWriteAttempts = 10

/**
 * Everything operators do with the API keys table. `RequestCounter` counts requests. Each change is one write, on the
 * condition that the state of the key and the attributes to change are still as they were read.
 *
 * The table returns items as they are stored, and `createKeyReader` reads what is needed of them. So a malformed item
 * can be changed too, and stops no other.
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
  async add(key: NewKey): Promise<void> {
    const put = new PutCommand(this.#createPut(key))
    await awaitConditionalWrite(retryWrite(() => this.#client.send(put)))
  }

  /** Lists all keys (strongly consistent), in the order in which they were issued. */
  async list(): Promise<StoredKey[]> {
    const input = { TableName: this.#table, ConsistentRead: true }
    const pages = await Array.fromAsync(paginateScan({ client: this.#client }, input))
    // Each item has the partition key of the table, which is always a KeyHash.
    const storedKeys = pages.flatMap(({ Items = [] }) => Items as StoredKey[])
    return storedKeys.toSorted((one, other) => (nameKey(one) < nameKey(other) ? -1 : 1))
  }

  /** Changes a key. The result is its item after the change. */
  async change(stored: StoredKey, change: KeyChange): Promise<ConditionalOutcome<StoredKey>> {
    const changeId = createChangeId()
    const update = new UpdateCommand({
      ...this.#createUpdate(stored, change, changeId),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    const outcome = await awaitConditionalWrite(retryWrite(() => this.#client.send(update)))
    if (outcome.met) return { met: true, result: { ...outcome.result.Attributes, keyHash: stored.keyHash } }

    // The SDK repeats a write whose response was lost, and then finds its own change. Another command may have made the
    // same change, which has another id.
    const { current } = outcome
    const isOwn = current?.[lastChangeId] === changeId
    return isOwn ? { met: true, result: { ...current, keyHash: stored.keyHash } } : outcome
  }

  /**
   * Changes a key and adds its successor, both or none. The terms that the successor inherits must still be as they
   * were read: another command may have moved the key to another plan meanwhile.
   *
   * While the transaction runs, DynamoDB rejects other writes of the key, such as the counting of a request. The
   * authorizer retries these (`shared/dynamodb/bounded-retries.ts`).
   *
   * @returns whether the key is replaced: false if the condition is not met
   */
  async replace(stored: StoredKey, change: KeyChange, successor: NewKey): Promise<boolean> {
    const writes = [
      { Put: this.#createPut(successor) },
      { Update: this.#createUpdate(stored, change, createChangeId(), inheritedTerms) },
    ]
    return retryWrite(() => this.#replaceOnce(writes))
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

  #createPut({ keyHash, record }: NewKey) {
    return {
      TableName: this.#table,
      Item: { keyHash, ...record },
      ConditionExpression: 'attribute_not_exists(keyHash)',
    }
  }

  /** @param unchangedNames attributes that must be as they were read, beside those of the change */
  #createUpdate(stored: StoredKey, change: KeyChange, changeId: string, unchangedNames: readonly string[] = []) {
    const names: Record<string, string> = {}
    const values: Record<string, unknown> = { ':changeId': changeId }

    const assignments = [`${lastChangeId} = :changeId`]
    const removals: string[] = []
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) {
        removals.push(`#${name}`)
      } else {
        assignments.push(`#${name} = :${name}`)
        values[`:${name}`] = value
      }
    }

    // Without this condition an update of a key that is not in the table would add an item.
    const conditions = ['attribute_exists(keyHash)']
    const expectedNames = new Set([...Object.keys(change), ...unchangedNames, 'state'])
    for (const name of expectedNames) {
      const value = stored[name]
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
      Key: { keyHash: stored.keyHash },
      UpdateExpression: `SET ${assignments.join(', ')} ${formatRemovals(removals)}`,
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    }
  }
}

const formatRemovals = (removals: readonly string[]): string =>
  removals.length === 0 ? '' : `REMOVE ${removals.join(', ')}`

const createChangeId = (): string => randomBytes(8).toString('base64url')

/**
 * Cancellation reasons of a transaction that can succeed later: an item is in another transaction, or is throttled
 * (DynamoDB API Reference, "TransactWriteItems", Errors). The SDK does not retry a canceled transaction.
 */
const retryableCodes: readonly (string | undefined)[] = [
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]

/**
 * Makes a write, and repeats it while a transaction writes the same item, or while an item of its own transaction is
 * throttled. DynamoDB rejects one of two writes of an item if one of them is in a transaction ("Amazon DynamoDB
 * Transactions: How it works"), and the SDK does not retry the rejected one.
 *
 * `$metadata.attempts` of the error counts the SDK's retries of all these writes, so that it shows whether a response
 * was lost. A rejected write is no retry: it has written nothing.
 */
const retryWrite = async <Result>(write: () => Promise<Result>): Promise<Result> => {
  let earlierRetries = 0
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write()
    } catch (error) {
      earlierRetries = addRetries(error, earlierRetries)
      const codes = findCancellationCodes(error)
      const isRetryable = isTransactionConflict(error) || codes.some((code) => retryableCodes.includes(code))
      if (!isRetryable || attempt === maximumWriteAttempts) throw error
    }
    await setTimeout(attempt * 100 * Math.random())
  }
}

/** Adds the retries of earlier writes to the attempts of the SDK's error. @returns the retries of all writes */
const addRetries = (error: unknown, earlierRetries: number): number => {
  const { $metadata } = Object(error)
  const { attempts = 1 } = Object($metadata)
  const allAttempts = attempts + earlierRetries
  if (earlierRetries > 0) Object.assign(Object(error), { $metadata: { ...$metadata, attempts: allAttempts } })
  return allAttempts - 1
}

/** Finds why DynamoDB canceled a transaction: the code of each write, in their order. Other errors have no codes. */
const findCancellationCodes = (error: unknown): readonly (string | undefined)[] => {
  if (!(error instanceof TransactionCanceledException)) return []
  return (error.CancellationReasons ?? []).map(({ Code }) => Code)
}
