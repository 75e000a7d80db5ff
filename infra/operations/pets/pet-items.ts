import { setTimeout as sleep } from 'node:timers/promises'
import { BatchGetCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type Attributes, conditional } from '../../../shared/dynamodb/conditional-write.ts'
import { newPetFields, type Pet, parsePet } from '../../../shared/pets/pet.ts'
import { changeCount, voidFor } from '../../../shared/pets/pet-store.ts'
import type { OpenEnvironment } from '../target/open-environment.ts'

/** Where the pets are. */
type Pets = Pick<OpenEnvironment, 'database' | 'tables'>

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

/** The items of those ids that have one, as of the latest write. */
export const findItems = async ({ database, tables }: Pets, ids: readonly bigint[]) => {
  const found = new Map<bigint, PetItem>()
  for (let start = 0; start < ids.length; start += keysAtOnce) {
    let keys: readonly Attributes[] = ids.slice(start, start + keysAtOnce).map((id) => ({ id }))
    while (keys.length > 0) {
      const Keys = keys.map((key) => ({ ...key }))
      const request = new BatchGetCommand({ RequestItems: { [tables.pets]: { Keys, ConsistentRead: true } } })
      const { Responses = {}, UnprocessedKeys = {} } = await database.send(request)
      for (const item of Responses[tables.pets] ?? []) found.set(BigInt(item['id']), itemOf(item))
      keys = UnprocessedKeys[tables.pets]?.Keys ?? []
      if (keys.length > 0) await sleep(throttledMilliseconds)
    }
  }
  return found
}

/** Every pet, in no order: none is missing that was there the whole time, whatever is done to it meanwhile. */
export async function* scanPets({ database, tables }: Pets): AsyncGenerator<readonly Pet[]> {
  const request = { TableName: tables.pets, ConsistentRead: true, Limit: pageSize }
  for await (const { Items = [] } of paginateScan({ client: database }, request)) {
    yield Items.flatMap((item) => itemOf(item).pet ?? [])
  }
}

/**
 * Gives an id the pet that it is to have, or none, where it still has what was found there. The item keeps its other
 * attributes: `attemptId` above all, by which a late request to create the pet finds that it has been created. Hence the
 * item of a removed pet becomes void; deleted, the pet would come back. The change is counted: of two states of a pet, a
 * list shows the later.
 *
 * @param attemptId of what adds the pet under an id that never had one
 * @returns whether it is written; if not, what the id has now
 */
export const writeItem = async (
  { database, tables }: Pets,
  id: bigint,
  found: PetItem | undefined,
  wanted: Pet | undefined,
  attemptId: string,
) => {
  const values: Record<string, unknown> = { ':one': 1, ':by': wanted === undefined ? 'removal' : attemptId }
  const set = [wanted === undefined ? `${voidFor} = :by` : 'attemptId = if_not_exists(attemptId, :by)']
  const removed: string[] = wanted === undefined ? [] : [voidFor]
  const asFound: string[] = []
  for (const field of newPetFields) {
    const [old, next] = [found?.pet?.[field], wanted?.[field]]
    asFound.push(old === undefined ? `attribute_not_exists(#${field})` : `#${field} = :old_${field}`)
    if (old !== undefined) values[`:old_${field}`] = old
    if (next !== undefined) values[`:${field}`] = next
    if (next !== undefined) set.push(`#${field} = :${field}`)
    else removed.push(`#${field}`)
  }
  const update = new UpdateCommand({
    TableName: tables.pets,
    Key: { id },
    UpdateExpression: `SET ${set} REMOVE ${removed} ADD ${changeCount} :one`,
    ConditionExpression: found === undefined ? 'attribute_not_exists(id)' : asFound.join(' AND '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })
  const outcome = await conditional(database.send(update))
  if (outcome.met) return { isWritten: true } as const
  return { isWritten: false, now: outcome.current && itemOf(outcome.current) } as const
}
