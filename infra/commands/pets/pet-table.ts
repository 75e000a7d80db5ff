import { isDeepStrictEqual } from 'node:util'
import { type DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import {
  type Attributes,
  awaitConditionalWrite,
  type ConditionalOutcome,
} from '../../../shared/dynamodb/conditional-write.ts'
import { type ItemReading, separateMalformed } from '../../../shared/dynamodb/item-reader.ts'
import { type Pet, type PetFields, petFields, pickPetFields, readPet } from '../../../shared/pets/pet.ts'
import { changeCount, countChanges, isRemoved, removed } from '../../../shared/pets/pet-table.ts'
import { findItems } from '../environment/batch-get.ts'
import { type ChangeId, changeIdAttribute, formatPreviousCondition, readChangeId } from '../environment/change-audit.ts'

/** Items per Scan page. A full page of 1 MB takes 10 MB once unmarshalled. */
const scanPageSize = 2_000

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

/**
 * Everything that operators do with the pets table. The functions use `PetTable`.
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
    const keys = ids.map((id) => ({ id }))
    const items = await findItems(this.#client, this.#table, keys)
    return new Map(items.map((item) => [BigInt(String(item['id'])), item]))
  }

  /** Scans all pets, unordered. A pet that exists during the whole scan is included, even if it changes meanwhile. */
  async *scan() {
    const request = { TableName: this.#table, ConsistentRead: true, Limit: scanPageSize, ...scannedAttributes }
    for await (const { Items = [] } of paginateScan({ client: this.#client }, request)) {
      yield separateMalformed(Items.flatMap((item) => readStoredPet(item) ?? []))
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

const scannedNames = [...petFields, 'source', 'reference', 'addedBy', removed]

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
