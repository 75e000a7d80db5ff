import { setTimeout as sleep } from 'node:timers/promises'
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  paginateScan,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb'
import { type Attributes, conditional } from '../../../shared/dynamodb/conditional-write.ts'
import { newPetFields, type Pet, type PetStatus, parsePet } from '../../../shared/pets/pet.ts'
import { changeCount, PetStore, voidFor } from '../../../shared/pets/pet-store.ts'
import { isSamePet } from './rows/version.ts'

/** What the table has under an id. Without a pet: it was removed, or the id is void. */
export interface PetItem {
  readonly pet: Pet | undefined
  /** The attempt that added the pet. */
  readonly attemptId: string | undefined
}

/** `theirs`: somebody else has changed the pet to this, or removed it, since it was read. Nothing was written. */
type Written = { readonly isWritten: true } | { readonly isWritten: false; readonly theirs: Pet | undefined }

/** The pet that a restore adds is of no attempt to create one. */
export const restoreAttemptId = 'restore'

/** As many keys as one BatchGetItem takes. */
export const keysAtOnce = 100

/** Of a scan. The 1 MB that DynamoDB gives without it is ten times the memory when it is read. */
const pageSize = 2_000

const throttledMilliseconds = 200

// Some fields are reserved words of DynamoDB. Each update names all of them, to set or to remove it.
const names = Object.fromEntries(newPetFields.map((field) => [`#${field}`, field]))

const valuesOf = (pet: Pet, prefix: ':' | ':old_'): Attributes =>
  Object.fromEntries(
    newPetFields.filter((field) => pet[field] !== undefined).map((field) => [`${prefix}${field}`, pet[field]]),
  )

const listOf = (pet: Pet, present: boolean): readonly string[] =>
  newPetFields.filter((field) => (pet[field] !== undefined) === present)

const setFields = (pet: Pet): string => `SET ${listOf(pet, true).map((field) => `#${field} = :${field}`)}`

/** The fields that the pet does not have. */
const removedFields = (pet: Pet): readonly string[] => listOf(pet, false).map((field) => `#${field}`)

const isUnchanged = (old: Pet): string =>
  newPetFields
    .map((field) => (old[field] === undefined ? `attribute_not_exists(#${field})` : `#${field} = :old_${field}`))
    .join(' AND ')

const petIn = (item: Attributes | undefined): Pet | undefined =>
  item === undefined || item[voidFor] !== undefined ? undefined : parsePet(item)

/**
 * The items of the pets table, as operators change them. Each write is one conditional update of an item, which keeps its
 * other attributes: `attemptId` above all, by which a late request to create the pet finds that it has been created.
 */
export class PetItems {
  readonly store: PetStore
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.store = new PetStore(client, table)
    this.#client = client
    this.#table = table
  }

  /** The items of those ids that have one, as of the latest write. */
  async find(ids: Iterable<bigint>): Promise<ReadonlyMap<bigint, PetItem>> {
    const found = new Map<bigint, PetItem>()
    let keys: readonly Attributes[] = [...new Set(ids)].map((id) => ({ id }))
    while (keys.length > 0) {
      const Keys = keys.slice(0, keysAtOnce).map((key) => ({ ...key }))
      const request = new BatchGetCommand({ RequestItems: { [this.#table]: { Keys, ConsistentRead: true } } })
      const { Responses = {}, UnprocessedKeys = {} } = await this.#client.send(request)
      for (const item of Responses[this.#table] ?? []) {
        const { id, attemptId } = item
        found.set(BigInt(id), { pet: petIn(item), attemptId: typeof attemptId === 'string' ? attemptId : undefined })
      }
      const unprocessed = UnprocessedKeys[this.#table]?.Keys ?? []
      if (unprocessed.length > 0) await sleep(throttledMilliseconds)
      keys = [...unprocessed, ...keys.slice(keysAtOnce)]
    }
    return found
  }

  /** Every pet, in no order: none is missing that was there the whole time, whatever is done to it meanwhile. */
  async *scan(status: PetStatus | undefined): AsyncGenerator<readonly Pet[]> {
    const filter = status !== undefined && {
      FilterExpression: '#status = :status',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': status },
    }
    const request = { TableName: this.#table, ConsistentRead: true, Limit: pageSize, ...filter }
    for await (const { Items = [] } of paginateScan({ client: this.#client }, request)) {
      yield Items.flatMap((item) => petIn(item) ?? [])
    }
  }

  /** Changes a pet from what it was when it was read. */
  change(old: Pet, pet: Pet): Promise<Written> {
    const removed = removedFields(pet)
    return this.#update(pet.id, pet, {
      UpdateExpression: `${setFields(pet)}${removed.length > 0 ? ` REMOVE ${removed}` : ''}`,
      ConditionExpression: isUnchanged(old),
      ExpressionAttributeValues: { ...valuesOf(pet, ':'), ...valuesOf(old, ':old_') },
    })
  }

  /** Makes the item of a pet void. Deleted, the pet would come back by a late request to create it. */
  remove(old: Pet): Promise<Written> {
    return this.#update(old.id, undefined, {
      UpdateExpression: `SET ${voidFor} = :removal REMOVE ${Object.keys(names)}`,
      ConditionExpression: isUnchanged(old),
      ExpressionAttributeValues: { ':removal': 'removal', ...valuesOf(old, ':old_') },
    })
  }

  /** Adds a pet under an id that no pet has. */
  restore(pet: Pet): Promise<Written> {
    return this.#update(pet.id, pet, {
      UpdateExpression: `${setFields(pet)}, attemptId = if_not_exists(attemptId, :restore) REMOVE ${[voidFor, ...removedFields(pet)]}`,
      ConditionExpression: `attribute_not_exists(id) OR attribute_exists(${voidFor})`,
      ExpressionAttributeValues: { ...valuesOf(pet, ':'), ':restore': restoreAttemptId },
    })
  }

  /**
   * Counts the change too: of two states of a pet, a list shows the later.
   *
   * @param wanted the pet after the update; undefined for none
   */
  async #update(
    id: bigint,
    wanted: Pet | undefined,
    {
      UpdateExpression,
      ExpressionAttributeValues,
      ConditionExpression,
    }: Pick<UpdateCommandInput, 'UpdateExpression' | 'ExpressionAttributeValues' | 'ConditionExpression'>,
  ): Promise<Written> {
    const outcome = await conditional(
      this.#client.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { id },
          ExpressionAttributeNames: names,
          UpdateExpression: `${UpdateExpression} ADD ${changeCount} :one`,
          ConditionExpression,
          ExpressionAttributeValues: { ...ExpressionAttributeValues, ':one': 1 },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    )
    if (outcome.met) return { isWritten: true }
    const theirs = petIn(outcome.current)
    // The SDK retries a write when its response is lost.
    return isSamePet(theirs, wanted) ? { isWritten: true } : { isWritten: false, theirs }
  }
}
