/**
 * The audit of an environment: one record for each change that an operator makes.
 *
 * The record of a pet's change is stored in the transaction that makes the change. So it is there if and only if the
 * change was made. The record of a key's change is stored before the change, which is one conditional write
 * (`infra/commands/keys`).
 */
import { generateRandomText } from '../../../shared/api-keys/api-key.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import type { Operator } from '../environment/open-environment.ts'

declare const changeIdBrand: unique symbol
/**
 * The id of a change: its UTC time, the pet's id in base 36 (or the id of the key), and four random characters, such as
 * `20301231T235959.999Z-1k9f3m2x7q-a8f2`. Ids of one target sort by time. Ids are short, because the status index
 * stores one for each pet.
 */
export type ChangeId = string & { readonly [changeIdBrand]: true }

/** Attribute of a pet and of an API key: the id of its latest change by an operator. */
export const changeIdAttribute = 'changeId'

/** Names an item in the audit: a pet by its id, an API key by the id of the key. */
export type Target = `pet#${bigint}` | `key#${string}`

/** A record of the audit table. An API key is never part of it. */
export interface AuditRecord {
  readonly target: Target
  readonly changeId: ChangeId
  /** UTC day of the change, such as `2030-12-31`. */
  readonly day: string
  /** Name of the command, for example `pets set`. */
  readonly action: string
  /** The id of the item's change before this one; undefined if no operator had changed the item. */
  readonly previous?: ChangeId | undefined
  /**
   * Values before the change; `null` if the change creates the item. A pet's are those of `formatPetState`: its fields,
   * and the attributes `row` and `removed` as they are stored.
   */
  readonly old: Attributes | null
  /** Values after the change, in the form of `old`. No change deletes an item: that of a removed pet stays. */
  readonly new: Attributes
  /** Hash of the changed key, by which its item is found. */
  readonly keyHash?: string | undefined
  /** The source of a pet that comes from a shelter's file. */
  readonly source?: string | undefined
  /** The number of the animal at its shelter. */
  readonly number?: string | undefined
  /** Name and hash of the shelter's file that asks for the change, such as `animals.csv 1a2b3c4d`. */
  readonly inputFile?: string | undefined
  /** AWS identity or local user of the operator. */
  readonly who: string
  /** The operator's reason. */
  readonly why?: string | undefined
  /** Unix seconds at which DynamoDB deletes the record. */
  readonly expiresAt: number
}

/** The part of a record that the command knows. `createRecord` adds the others. */
export type ChangeFacts = Omit<AuditRecord, 'changeId' | 'day' | 'who' | 'why' | 'expiresAt'>

/** Time for which the audit keeps a record: a year. */
const recordSeconds = 365 * 86_400

/** Creates the record of a change that is made now, with a new change id, and stores nothing. */
export const createRecord = (change: ChangeFacts, { who, why }: Operator, clock: Clock = systemClock): AuditRecord => {
  const now = clock()
  const time = new Date(now).toISOString()
  return {
    ...change,
    changeId: createChangeId(change.target, now),
    day: time.slice(0, 10),
    who,
    why,
    expiresAt: Math.floor(now / 1_000) + recordSeconds,
  }
}

/** Names a pet in the audit. */
export const formatPetTarget = (id: bigint): Target => `pet#${id}`

/** Names an API key in the audit: by its id, or by its hash if its item has lost the id. */
export const formatKeyTarget = (idOrHash: string): Target => `key#${idOrHash}`

/** Reads the id in a target: that of the pet, or that of the key. */
export const readTargetId = (target: Target): string => target.slice(target.indexOf('#') + 1)

/** Reads the id of the pet that a target names; undefined if it names a key. */
export const readPetId = (target: Target): bigint | undefined =>
  target.startsWith('pet#') ? BigInt(readTargetId(target)) : undefined

export const createChangeId = (target: Target, nowMilliseconds: number): ChangeId => {
  const time = formatChangeTime(nowMilliseconds)
  const name = readPetId(target)?.toString(36) ?? readTargetId(target)
  const id = `${time}-${name}-${generateRandomText(4).toLowerCase()}`
  // Casts to ChangeId stand here, in `parseChangeId` and in `readChangeId` alone.
  return id as ChangeId
}

/** Formats a time as the beginning of the ids of changes, for example as `20301231T235959.999Z`. */
export const formatChangeTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replaceAll(/[-:]/g, '')

/** Parses the id of a change that an operator gives; undefined if the text is none. */
export const parseChangeId = (text: string): { readonly changeId: ChangeId; readonly target: Target } | undefined => {
  const { name } = /^\d{8}T\d{6}\.\d{3}Z-(?<name>\w+)-[0-9a-z]{4}$/.exec(text)?.groups ?? {}
  if (name === undefined) return undefined
  // The pattern above is that of a ChangeId.
  const changeId = text as ChangeId
  if (name.startsWith('key_')) return { changeId, target: formatKeyTarget(name) }
  const id = parseBase36(name)
  return id === undefined ? undefined : { changeId, target: formatPetTarget(id) }
}

const parseBase36 = (text: string): bigint | undefined => {
  // The largest id, of 63 bits, has 13 digits in base 36.
  if (!/^[0-9a-z]{1,13}$/.test(text)) return undefined
  return [...text].reduce((value, digit) => value * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
}

/** Reads the id of the latest change of an item. */
export const readChangeId = (item: Attributes | undefined): ChangeId | undefined =>
  // Only commands write this attribute.
  item?.[changeIdAttribute] as ChangeId | undefined

/**
 * Formats the condition that no operator has created or changed an item since it was read. A condition that compares
 * the id of the latest change has this id as the value `:previous`.
 *
 * @param partitionKey name of the attribute that each item of the table has
 * @param item the item that was read; undefined if there was none
 */
export const formatUnchangedCondition = (partitionKey: string, item: Attributes | undefined) => {
  if (item === undefined) return { ConditionExpression: `attribute_not_exists(${partitionKey})` }
  const previous = readChangeId(item)
  if (previous !== undefined) {
    return {
      ConditionExpression: `${changeIdAttribute} = :previous`,
      ExpressionAttributeValues: { ':previous': previous },
    }
  }
  return {
    ConditionExpression: `attribute_exists(${partitionKey}) AND attribute_not_exists(${changeIdAttribute})`,
  }
}
