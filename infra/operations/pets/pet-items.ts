import { setTimeout as sleep } from 'node:timers/promises'
import { BatchGetCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { type Attributes, awaitConditionalWrite } from '../../../shared/dynamodb/conditional-write.ts'
import { type Pet, parsePet, petFields } from '../../../shared/pets/pet.ts'
import { changeCount, voidFor } from '../../../shared/pets/pet-store.ts'
import type { Environment } from '../environment/open-environment.ts'

/** Where the pets are. */
type Pets = Pick<Environment, 'database' | 'tables'>

/** The pet that an item has. It has none where the pet was removed, or the id is void. */
export const petIn = (item: Attributes | undefined): Pet | undefined =>
  item === undefined || item[voidFor] !== undefined ? undefined : parsePet(item)

/** As many keys as one BatchGetItem takes. */
export const keysAtOnce = 100

/** Of a scan. The 1 MB that DynamoDB gives without it is ten times the memory when it is read. */
const pageSize = 2_000

const throttledMilliseconds = 200

/** The items of those ids that have one, as of the latest write. */
export const findItems = async ({ database, tables }: Pets, ids: readonly bigint[]) => {
  const found = new Map<bigint, Attributes>()
  const left: Record<string, unknown>[] = ids.map((id) => ({ id }))
  while (left.length > 0) {
    const Keys = left.splice(-keysAtOnce)
    const request = new BatchGetCommand({ RequestItems: { [tables.pets]: { Keys, ConsistentRead: true } } })
    const { Responses = {}, UnprocessedKeys = {} } = await database.send(request)
    for (const item of Responses[tables.pets] ?? []) found.set(BigInt(item['id']), item)
    const { Keys: throttled = [] } = UnprocessedKeys[tables.pets] ?? {}
    left.push(...throttled)
    if (throttled.length > 0) await sleep(throttledMilliseconds)
  }
  return found
}

/** Every pet, in no order: none is missing that was there the whole time, whatever is done to it meanwhile. */
export async function* scanPets({ database, tables }: Pets): AsyncGenerator<readonly Pet[]> {
  const request = { TableName: tables.pets, ConsistentRead: true, Limit: pageSize }
  for await (const { Items = [] } of paginateScan({ client: database }, request)) {
    yield Items.flatMap((item) => petIn(item) ?? [])
  }
}

/**
 * Gives an id the pet that it is to have, or none, where nobody has changed what was found there. The item keeps its other
 * attributes: `attemptId` above all, by which a late request to create the pet finds that it has been created. Hence the
 * item of a removed pet becomes void; deleted, the pet would come back. The change is counted: of two states of a pet, a
 * list shows the later.
 *
 * @param attemptId of what adds the pet under an id that never had one
 * @returns undefined where it is written; else what the id has now
 */
export const writeItem = async (
  { database, tables }: Pets,
  id: bigint,
  found: Attributes | undefined,
  wanted: Pet | undefined,
  attemptId: string,
) => {
  const { [changeCount]: count, [voidFor]: _, ...attributes } = found ?? {}
  const others = Object.entries(attributes).filter(([name]) => petFields.every((field) => field !== name))
  const isUnchanged = count === undefined ? `attribute_not_exists(${changeCount})` : `${changeCount} = :count`
  const put = new PutCommand({
    TableName: tables.pets,
    Item: {
      ...{ attemptId, ...Object.fromEntries(others), ...(wanted ?? { [voidFor]: 'removal' }), id },
      [changeCount]: Number(count ?? 0) + 1,
    },
    ConditionExpression: `${found === undefined ? 'attribute_not_exists' : 'attribute_exists'}(id) AND ${isUnchanged}`,
    ExpressionAttributeValues: count === undefined ? undefined : { ':count': count },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })
  const outcome = await awaitConditionalWrite(database.send(put))
  return outcome.met ? undefined : { now: outcome.current }
}
