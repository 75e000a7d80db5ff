import { setTimeout as sleep } from 'node:timers/promises'
import { BatchGetCommand, type DynamoDBDocumentClient, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type Attributes, conditional } from '../../../shared/dynamodb/conditional-write.ts'
import { newPetFields, type Pet, parsePet } from '../../../shared/pets/pet.ts'
import { changeCount, voidFor } from '../../../shared/pets/pet-store.ts'

/** What the table has under an id. Without a pet: it was removed, or the id is void. */
export interface PetItem {
  readonly pet: Pet | undefined
  /** The attempt that added the pet. */
  readonly attemptId: string | undefined
}

/** As many keys as one BatchGetItem takes. */
export const keysAtOnce = 100

/** Of a scan. The 1 MB that DynamoDB gives without it is ten times the memory when it is read. */
const pageSize = 2_000

const throttledMilliseconds = 200

// Some fields are reserved words of DynamoDB. Each update names all of them.
const names = Object.fromEntries(newPetFields.map((field) => [`#${field}`, field]))

const itemOf = (attributes: Attributes): PetItem => {
  const { attemptId, [voidFor]: isVoid } = attributes
  return {
    pet: isVoid === undefined ? parsePet(attributes) : undefined,
    attemptId: typeof attemptId === 'string' ? attemptId : undefined,
  }
}

/** The items of the pets table, as operators change them. */
export class PetItems {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /** The items of those ids that have one, as of the latest write. */
  async find(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, PetItem>> {
    const found = new Map<bigint, PetItem>()
    for (let start = 0; start < ids.length; start += keysAtOnce) {
      let keys: readonly Attributes[] = ids.slice(start, start + keysAtOnce).map((id) => ({ id }))
      while (keys.length > 0) {
        const Keys = keys.map((key) => ({ ...key }))
        const request = new BatchGetCommand({ RequestItems: { [this.#table]: { Keys, ConsistentRead: true } } })
        const { Responses = {}, UnprocessedKeys = {} } = await this.#client.send(request)
        for (const item of Responses[this.#table] ?? []) found.set(BigInt(item['id']), itemOf(item))
        keys = UnprocessedKeys[this.#table]?.Keys ?? []
        if (keys.length > 0) await sleep(throttledMilliseconds)
      }
    }
    return found
  }

  /** Every pet, in no order: none is missing that was there the whole time, whatever is done to it meanwhile. */
  async *scan(): AsyncGenerator<readonly Pet[]> {
    const request = { TableName: this.#table, ConsistentRead: true, Limit: pageSize }
    for await (const { Items = [] } of paginateScan({ client: this.#client }, request)) {
      yield Items.flatMap((item) => itemOf(item).pet ?? [])
    }
  }

  /**
   * Gives an id the pet that it is to have, or none, where it still has what was found there. The item keeps its other
   * attributes: `attemptId` above all, by which a late request to create the pet finds that it has been created. Hence the
   * item of a removed pet becomes void; deleted, the pet would come back. The change is counted: of two states of a pet, a
   * list shows the later.
   *
   * @param attemptId of what adds the pet, where nothing has added one before
   * @returns whether it is written; if not, what the id has now
   */
  async write(id: bigint, found: PetItem | undefined, wanted: Pet | undefined, attemptId: string) {
    const values: Record<string, unknown> = { ':one': 1, ':attempt': attemptId }
    const set: string[] =
      wanted === undefined ? [`${voidFor} = :attempt`] : ['attemptId = if_not_exists(attemptId, :attempt)']
    const removed: string[] = wanted === undefined ? [] : [voidFor]
    const asFound: string[] = []
    for (const field of newPetFields) {
      const [old, next] = [found?.pet?.[field], wanted?.[field]]
      asFound.push(old === undefined ? `attribute_not_exists(#${field})` : `#${field} = :old_${field}`)
      if (old !== undefined) values[`:old_${field}`] = old
      if (next === undefined) removed.push(`#${field}`)
      else set.push(`#${field} = :${field}`)
      if (next !== undefined) values[`:${field}`] = next
    }
    const update = new UpdateCommand({
      TableName: this.#table,
      Key: { id },
      UpdateExpression: `SET ${set} REMOVE ${removed} ADD ${changeCount} :one`,
      ConditionExpression: found === undefined ? 'attribute_not_exists(id)' : asFound.join(' AND '),
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    const outcome = await conditional(this.#client.send(update))
    if (outcome.met) return { isWritten: true } as const
    return { isWritten: false, now: outcome.current && itemOf(outcome.current) } as const
  }
}
