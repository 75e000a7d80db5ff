import { setTimeout as sleep } from 'node:timers/promises'
import { BatchGetCommand, type DynamoDBDocumentClient, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type Attributes, conditional } from '../../../shared/dynamodb/conditional-write.ts'
import { type Pet, type PetStatus, parsePet, petStatuses } from '../../../shared/pets/pet.ts'
import { PetStore, voidFor } from '../../../shared/pets/pet-store.ts'
import { petsTableSchema } from '../../../shared/pets/pets-table-schema.ts'

/** The outcome of a write. `changed`, `removed`: somebody else did that since the pet was read, and nothing is written. */
export type Written = 'written' | 'changed' | 'removed'

/** The pet that a restore adds is of no attempt to create one. */
const restoreAttemptId = 'restore'

const names = { '#name': 'name', '#status': 'status' }
const setValues = 'SET #name = :name, categoryId = :categoryId, #status = :status'
const isUnchanged = '#name = :old_name AND categoryId = :old_categoryId AND #status = :old_status'

const valuesOf = ({ name, categoryId, status }: Pet, prefix: ':' | ':old_' = ':') => ({
  [`${prefix}name`]: name,
  [`${prefix}categoryId`]: categoryId,
  [`${prefix}status`]: status,
})

/** As many keys as one BatchGetItem takes. */
const keysAtOnce = 100

const throttledMilliseconds = 200

const petIn = (item: Attributes | undefined): Pet | undefined =>
  item === undefined || item[voidFor] !== undefined ? undefined : parsePet(item)

/**
 * The pets table as operators use it. Each write is one conditional update of an item, which keeps its other attributes:
 * `attemptId` above all, by which a late request to create the pet finds that it has been created.
 */
export class PetTable {
  readonly store: PetStore
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.store = new PetStore(client, table)
    this.#client = client
    this.#table = table
  }

  /** The pets of those ids that have one, as of the latest write. */
  async find(ids: Iterable<bigint>): Promise<ReadonlyMap<bigint, Pet>> {
    const found = new Map<bigint, Pet>()
    let keys: readonly Attributes[] = [...new Set(ids)].map((id) => ({ id }))
    while (keys.length > 0) {
      const Keys = keys.slice(0, keysAtOnce).map((key) => ({ ...key }))
      const request = new BatchGetCommand({ RequestItems: { [this.#table]: { Keys, ConsistentRead: true } } })
      const { Responses = {}, UnprocessedKeys = {} } = await this.#client.send(request)
      for (const item of Responses[this.#table] ?? []) {
        const pet = petIn(item)
        if (pet !== undefined) found.set(pet.id, pet)
      }
      const unprocessed = UnprocessedKeys[this.#table]?.Keys ?? []
      if (unprocessed.length > 0) await sleep(throttledMilliseconds)
      keys = [...unprocessed, ...keys.slice(keysAtOnce)]
    }
    return found
  }

  /** Changes a pet from what it was when it was read. */
  change(old: Pet, pet: Pet): Promise<Written> {
    return this.#update(pet.id, pet, {
      UpdateExpression: setValues,
      ConditionExpression: isUnchanged,
      ExpressionAttributeValues: { ...valuesOf(pet), ...valuesOf(old, ':old_') },
    })
  }

  /** Makes the item of a pet void. Deleted, the pet would come back by a late request to create it. */
  remove(old: Pet): Promise<Written> {
    return this.#update(old.id, undefined, {
      UpdateExpression: `SET ${voidFor} = :removal REMOVE #name, categoryId, #status`,
      ConditionExpression: isUnchanged,
      ExpressionAttributeValues: { ':removal': 'removal', ...valuesOf(old, ':old_') },
    })
  }

  /** Adds a pet under an id that no pet has. */
  restore(pet: Pet): Promise<Written> {
    return this.#update(pet.id, pet, {
      UpdateExpression: `${setValues}, attemptId = if_not_exists(attemptId, :restore) REMOVE ${voidFor}`,
      ConditionExpression: `attribute_not_exists(id) OR attribute_exists(${voidFor})`,
      ExpressionAttributeValues: { ...valuesOf(pet), ':restore': restoreAttemptId },
    })
  }

  /** @param wanted the pet after the update; undefined for none */
  async #update(
    id: bigint,
    wanted: Pet | undefined,
    update: Omit<ConstructorParameters<typeof UpdateCommand>[0], 'TableName' | 'Key'>,
  ): Promise<Written> {
    const outcome = await conditional(
      this.#client.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { id },
          ExpressionAttributeNames: names,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          ...update,
        }),
      ),
    )
    if (outcome.met) return 'written'
    const pet = petIn(outcome.current)
    // The SDK retries a write when its response is lost.
    if (isSamePet(pet, wanted)) return 'written'
    return pet === undefined ? 'removed' : 'changed'
  }

  /** Reads the whole index, whose keys tell the status: DynamoDB keeps no count by status. */
  async count(): Promise<Readonly<Record<PetStatus, number>>> {
    const counts = await Promise.all(petStatuses.map(async (status) => [status, await this.#countOf(status)] as const))
    return Object.fromEntries(counts) as Record<PetStatus, number>
  }

  async #countOf(status: PetStatus): Promise<number> {
    const query = {
      TableName: this.#table,
      IndexName: petsTableSchema.statusIndex.name,
      ExpressionAttributeNames: { '#status': 'status' },
      KeyConditionExpression: '#status = :status',
      ExpressionAttributeValues: { ':status': status },
      Select: 'COUNT',
    } as const
    let count = 0
    for await (const { Count = 0 } of paginateQuery({ client: this.#client }, query)) count += Count
    return count
  }
}

export const isSamePet = (one: Pet | undefined, other: Pet | undefined): boolean =>
  one?.id === other?.id &&
  one?.name === other?.name &&
  one?.categoryId === other?.categoryId &&
  one?.status === other?.status
