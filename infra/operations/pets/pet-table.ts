import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  paginateQuery,
  paginateScan,
} from '@aws-sdk/lib-dynamodb'
import {
  type Attributes,
  awaitConditionalWrite,
  type ConditionalOutcome,
} from '../../../shared/dynamodb/conditional-write.ts'
import { type ItemReading, type MalformedItem, separateMalformed } from '../../../shared/dynamodb/item-reader.ts'
import {
  type Pet,
  type PetFields,
  type PetStatus,
  petFields,
  pickPetFields,
  readPet,
} from '../../../shared/pets/pet.ts'
import { changeCount, countChanges, type IndexedItem, isRemoved, removed } from '../../../shared/pets/pet-store.ts'
import { petsTableSchema } from '../../../shared/pets/pets-table-schema.ts'
import { type ChangeId, changeIdAttribute, formatPreviousCondition, readChangeId } from '../environment/change-audit.ts'

/** Keys in one BatchGetItem call; DynamoDB accepts at most 100. */
export const keysPerLookup = 100

/** Items per Scan page. A full page of 1 MB takes 10 MB once unmarshalled. */
const scanPageSize = 2_000

/** Items per page of a list of one status. Callers read from the same index. */
const listPageSize = 1_000

/** Wait before unprocessed keys are looked up again. DynamoDB returns keys unprocessed when it throttles. */
const throttledMilliseconds = 200

/** Time after which a lookup fails in which DynamoDB leaves all keys unprocessed. */
const longestThrottledMilliseconds = 30_000

/** The shelter whose file has a pet, and the pet's number there. Other pets have none. No response shows them. */
export interface Origin {
  readonly source: string
  readonly reference: string
}

/** A pet as operators see it. */
export type PetWithOrigin = Pet & Partial<Origin>

/** One write of an operator. It is made only if nobody else has changed the item since it was read. */
export interface PetWrite {
  readonly id: bigint
  /** The item that was read; undefined if the id had none. */
  readonly item: Attributes | undefined
  /** The pet to store under the id; undefined removes the pet. */
  readonly pet: Pet | undefined
  /** Source and reference of a pet whose item has none yet. */
  readonly origin?: Origin | undefined
  /** The id of this change. It replaces the one that the item has. */
  readonly changeId: ChangeId
}

/** Reads the pet of an item: undefined if there is no item, or the pet was removed. */
export const readStoredPet = (item: Attributes | undefined): ItemReading<Pet> | undefined =>
  item === undefined || isRemoved(item) ? undefined : readPet(item)

/**
 * Finds the fields of the pet of an item: those of the item as they are, if they cannot be read. Undefined if there is
 * no item, or the pet was removed.
 */
export const findPetFields = (item: Attributes | undefined): PetFields | undefined => {
  const reading = readStoredPet(item)
  return reading?.kind === 'malformed' ? pickPetFields(reading.item) : reading?.value
}

/** Whether the pet of an item is as given; undefined stands for no pet. A pet that cannot be read is like no other. */
export const isSamePet = (item: Attributes | undefined, pet: Pet | undefined): boolean => {
  const reading = readStoredPet(item)
  if (reading?.kind === 'malformed') return false
  return isDeepStrictEqual(reading?.value, pet)
}

/** Reads the source and the reference of an item. */
export const readOrigin = (item: Attributes | undefined): Origin | undefined => {
  const { source, reference } = item ?? {}
  return typeof source === 'string' && typeof reference === 'string' ? { source, reference } : undefined
}

/** Pets of a part of the table. */
export interface ScannedPets {
  readonly pets: readonly PetWithOrigin[]
  readonly malformedItems: readonly MalformedItem[]
}

/**
 * Everything that operators do with the pets table. The functions use `PetStore`.
 *
 * @example
 * const table = new PetTable(client, 'Pets')
 * const items = await table.findItems([5n])
 * await table.write({ id: 5n, item: items.get(5n), pet: { ...bella, status: 'sold' }, changeId })
 */
export class PetTable {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /**
   * Looks up items by id (strongly consistent). Ids without an item are not in the map.
   *
   * @throws ThrottlingException after half a minute of throttling
   */
  async findItems(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, Attributes>> {
    const items = new Map<bigint, Attributes>()
    const remainingKeys: Record<string, unknown>[] = ids.map((id) => ({ id }))
    let lastProgress = performance.now()

    while (remainingKeys.length > 0) {
      const keys = remainingKeys.splice(-keysPerLookup)
      const { foundItems, unprocessedKeys } = await this.#getBatch(keys)
      for (const item of foundItems) items.set(BigInt(item['id']), item)

      remainingKeys.push(...unprocessedKeys)
      if (unprocessedKeys.length < keys.length) lastProgress = performance.now()
      if (performance.now() - lastProgress > longestThrottledMilliseconds) throw createThrottlingError()
      if (unprocessedKeys.length > 0) await setTimeout(throttledMilliseconds)
    }

    return items
  }

  async #getBatch(keys: Record<string, unknown>[]) {
    const { Responses, UnprocessedKeys } = await this.#client.send(
      new BatchGetCommand({ RequestItems: { [this.#table]: { Keys: keys, ConsistentRead: true } } }),
    )
    return {
      foundItems: Responses?.[this.#table] ?? [],
      unprocessedKeys: UnprocessedKeys?.[this.#table]?.Keys ?? [],
    }
  }

  /** Scans all pets, unordered. A pet that exists during the whole scan is included, even if it changes meanwhile. */
  async *scan(): AsyncGenerator<ScannedPets> {
    const request = { TableName: this.#table, ConsistentRead: true, Limit: scanPageSize, ...scannedAttributes }
    for await (const { Items = [] } of paginateScan({ client: this.#client }, request)) {
      const { readItems, malformedItems } = separateMalformed(Items.flatMap((item) => readStoredPet(item) ?? []))
      yield { pets: readItems.map(({ value, item }) => ({ ...value, ...readOrigin(item) })), malformedItems }
    }
  }

  /**
   * Lists the items of one status by the index, page by page, the newest first (eventually consistent). A pet whose
   * status has just changed can be listed under both statuses, or under neither.
   */
  async *listStatus(status: PetStatus): AsyncGenerator<readonly IndexedItem[]> {
    const request = {
      TableName: this.#table,
      IndexName: petsTableSchema.statusIndex.name,
      // "status" is a reserved word of DynamoDB.
      ExpressionAttributeNames: { '#status': 'status' },
      KeyConditionExpression: '#status = :status',
      ExpressionAttributeValues: { ':status': status },
      ScanIndexForward: false,
    }
    for await (const { Items = [] } of paginateQuery({ client: this.#client, pageSize: listPageSize }, request)) {
      // The id is the sort key of the index, so each item has one that is a number.
      yield Items as IndexedItem[]
    }
  }

  /**
   * Creates the put that stores or removes a pet, for a call of its own or as an item of a transaction. Its condition:
   * the item has the same latest change as when it was read.
   *
   * The item keeps its attributes that are no fields of a pet. Above all it keeps `attemptId`, by which a late
   * request to create the pet finds that the pet has been created. For the same reason the item of a removed pet
   * stays: if it were deleted, a late request would add the pet again. `changeCount` grows by one. A list can find a
   * pet under two statuses, while the index follows a change, and shows the one with the higher count.
   *
   * @example { Put: table.createPut(write) }
   */
  createPut({ id, item, pet, origin, changeId }: PetWrite) {
    const idCondition = item === undefined ? 'attribute_not_exists(id)' : 'attribute_exists(id)'
    const previous = readChangeId(item)
    const { condition, values } = formatPreviousCondition(previous)
    return {
      TableName: this.#table,
      Item: {
        ...origin,
        ...findHiddenAttributes(item ?? {}),
        ...(pet ?? { [removed]: true }),
        id,
        [changeCount]: countChanges(item ?? {}) + 1,
        [changeIdAttribute]: changeId,
      },
      ConditionExpression: `${idCondition} AND ${condition}`,
      ...(previous !== undefined && { ExpressionAttributeValues: values }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }
  }

  /**
   * Stores or removes a pet.
   *
   * @returns whether the condition was met, and if not, the current item
   */
  write(write: PetWrite): Promise<ConditionalOutcome<unknown>> {
    return awaitConditionalWrite(this.#client.send(new PutCommand(this.createPut(write))))
  }
}

const createThrottlingError = (): Error =>
  Object.assign(new Error('DynamoDB leaves all keys unprocessed.'), { name: 'ThrottlingException' })

const scannedNames = [...petFields, 'source', 'reference', removed]

/** Attributes that a scan returns: those that operators see, so that a page is small. */
const scannedAttributes = {
  ProjectionExpression: scannedNames.map((name) => `#${name}`).join(','),
  // Some names are reserved words of DynamoDB.
  ExpressionAttributeNames: Object.fromEntries(scannedNames.map((name) => [`#${name}`, name])),
}

/** Names of the attributes that every write sets anew. */
const writtenAttributes: ReadonlySet<string> = new Set([...petFields, changeCount, changeIdAttribute, removed])

/** Attributes of an item that callers never see and that no write changes, such as `attemptId` and `addedBy`. */
const findHiddenAttributes = (item: Attributes): Attributes =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !writtenAttributes.has(name)))
