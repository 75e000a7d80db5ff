import { type DynamoDBDocumentClient, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { awaitConditionalWrite, type ConditionalOutcome } from '../dynamodb/conditional-write.ts'
import { type ApiKeyRecord, nameKey, type StoredKey } from './api-key-record.ts'

/** Attributes that are written; `undefined` removes an attribute. All other attributes stay as they are. */
export type KeyChange = Partial<Omit<ApiKeyRecord, 'keyId'>>

/**
 * Lists and changes items of the API keys table. Two other writes are made elsewhere: `RequestCounter` counts requests,
 * and the commands of operators change keys with a record in the audit.
 *
 * The table returns items as they are stored, and `createKeyReader` reads what is needed of them. So a malformed item
 * stops no other.
 *
 * @example
 * const [stored] = await table.list()
 * if (stored) await table.change(stored, { meteredFrom: undefined })
 */
export class KeyTable {
  readonly #client: DynamoDBDocumentClient
  readonly #tableName: string

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client
    this.#tableName = tableName
  }

  /** Lists all keys (strongly consistent), in the order in which they were issued. */
  async list(): Promise<StoredKey[]> {
    const input = { TableName: this.#tableName, ConsistentRead: true }
    const pages = await Array.fromAsync(paginateScan({ client: this.#client }, input))
    // Each item has the partition key of the table, which is always a KeyHash.
    const storedKeys = pages.flatMap(({ Items = [] }) => Items as StoredKey[])
    return storedKeys.toSorted((one, other) => (nameKey(one) < nameKey(other) ? -1 : 1))
  }

  /**
   * Changes a key, on the condition that its state and the attributes to change are still as they were read. If the
   * response to a write is lost, the SDK repeats the write, which finds its own values. Then the outcome is that the
   * condition is not met, although the change was made.
   */
  change(stored: StoredKey, change: KeyChange): Promise<ConditionalOutcome<unknown>> {
    const { condition, names, values } = formatExpectedValues(stored, [...Object.keys(change), 'state'])
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: { keyHash: stored.keyHash },
      ...formatKeyUpdate(change, names, values),
      // Without the first condition an update of a key that is not in the table would add an item.
      ConditionExpression: `attribute_exists(keyHash) AND ${condition}`,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    return awaitConditionalWrite(this.#client.send(update))
  }
}

type Names = Readonly<Record<string, string>>
type Values = Readonly<Record<string, unknown>>

/** Formats the condition that attributes are as they were read. */
const formatExpectedValues = (stored: StoredKey, attributes: readonly string[]) => {
  const names: Record<string, string> = {}
  const values: Record<string, unknown> = {}
  const conditions = attributes.map((name) => {
    names[`#${name}`] = name
    if (stored[name] === undefined) return `attribute_not_exists(#${name})`
    values[`:expected_${name}`] = stored[name]
    return `#${name} = :expected_${name}`
  })
  return { condition: conditions.join(' AND '), names, values }
}

/**
 * Formats the parameters of UpdateItem that write attributes.
 *
 * @param names names that the condition uses
 * @param values values that the condition uses
 */
export const formatKeyUpdate = (change: Readonly<Record<string, unknown>>, names: Names, values: Values) => {
  const assignments: string[] = []
  const removals: string[] = []
  const allNames: Record<string, string> = { ...names }
  const allValues: Record<string, unknown> = { ...values }
  for (const [name, value] of Object.entries(change)) {
    allNames[`#${name}`] = name
    if (value === undefined) {
      removals.push(`#${name}`)
    } else {
      assignments.push(`#${name} = :${name}`)
      allValues[`:${name}`] = value
    }
  }
  const clauses = [
    ...(assignments.length > 0 ? [`SET ${assignments.join(', ')}`] : []),
    ...(removals.length > 0 ? [`REMOVE ${removals.join(', ')}`] : []),
  ]
  return {
    UpdateExpression: clauses.join(' '),
    ExpressionAttributeNames: allNames,
    ExpressionAttributeValues: allValues,
  }
}
