import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import { seededPetId } from './seeded-pet.ts'

/** As many pets as one BatchWriteItem takes. */
export const blockSize = 25

/** How many blocks are written at a time. */
const blocksAtATime = 8

/**
 * Makes it possible to resume an interrupted seeding exactly: of two pets this far apart, the earlier one is written
 * before the later one is begun. So where a pet exists, all those further before it exist too.
 */
export const reach = blockSize * blocksAtATime

/** Which of the pets to seed exist. */
export interface Seeded {
  /** Indexes that do not exist, in ascending order, ... */
  readonly missing: readonly number[]
  /** ... like all from here on. */
  readonly noneFrom: number
}

export const nothingSeeded: Seeded = { missing: [], noneFrom: 0 }

/** Some pets of one block of 25 indexes. Blocks are aligned, so that no batch spans more than its block. */
export interface Block {
  readonly number: number
  readonly indexes: readonly number[]
}

/**
 * Reads from the table itself how far an earlier seeding came, so no separate mark can go stale. A binary search
 * (24 reads for ten million) finds a pet that exists before one that does not. By the order in which pets are
 * written, only those within reach of that border may exist or not: each is read.
 */
export const findSeeded = async (client: DynamoDBDocumentClient, table: string, count: number): Promise<Seeded> => {
  const exists = async (index: number): Promise<boolean> => {
    const key = { TableName: table, Key: { id: seededPetId(index) } }
    const { Item } = await client.send(new GetCommand({ ...key, ConsistentRead: true, ProjectionExpression: 'id' }))
    return Item !== undefined
  }
  let present = -1
  let absent = count
  while (absent - present > 1) {
    const middle = Math.floor((present + absent) / 2)
    if (await exists(middle)) present = middle
    else absent = middle
  }
  const noneFrom = Math.min(count, absent + reach)
  const missing: number[] = []
  for (let first = Math.max(0, present - reach); first < noneFrom; first += blockSize) {
    const indexes = Array.from({ length: Math.min(blockSize, noneFrom - first) }, (_, offset) => first + offset)
    const found = await Promise.all(indexes.map(exists))
    missing.push(...indexes.filter((_, position) => !found[position]))
  }
  return { missing, noneFrom }
}

/** What there is to write, in ascending order. Lazily: ten million indexes are never in memory at once. */
export function* blocksToWrite({ missing, noneFrom }: Seeded, count: number): Generator<Block> {
  let indexes: number[] = []
  let number = -1
  for (const index of indexesToWrite(missing, noneFrom, count)) {
    const current = Math.floor(index / blockSize)
    if (current !== number && indexes.length > 0) {
      yield { number, indexes }
      indexes = []
    }
    number = current
    indexes.push(index)
  }
  if (indexes.length > 0) yield { number, indexes }
}

function* indexesToWrite(missing: readonly number[], noneFrom: number, count: number): Generator<number> {
  yield* missing.filter((index) => index < count)
  for (let index = noneFrom; index < count; index += 1) yield index
}

/** What there is to remove, in descending order. The numbers ascend, as `workInOrder` needs them. */
export function* blocksToRemove({ missing, noneFrom }: Seeded): Generator<Block> {
  const absent = new Set(missing)
  for (let number = Math.floor((noneFrom - 1) / blockSize); number >= 0; number -= 1) {
    const size = Math.min(blockSize, noneFrom - number * blockSize)
    const indexes = Array.from({ length: size }, (_, offset) => number * blockSize + offset)
    const present = indexes.filter((index) => !absent.has(index))
    if (present.length > 0) yield { number: -number, indexes: present }
  }
}

/**
 * Works on blocks side by side, and begins none before all of `blocksAtATime` numbers before it are done.
 * Begins no more once one has failed or `ended` returns true, and waits for those under way in any case.
 *
 * @throws the first error
 */
export const workInOrder = async (
  blocks: Iterable<Block>,
  work: (block: Block) => Promise<void>,
  ended: () => boolean,
): Promise<void> => {
  const underWay: { readonly number: number; readonly done: Promise<void> }[] = []
  const failures: unknown[] = []
  for (const block of blocks) {
    while (underWay[0] !== undefined && underWay[0].number <= block.number - blocksAtATime) {
      await underWay[0].done
      underWay.shift()
    }
    if (ended() || failures.length > 0) break
    const done = work(block).catch((error: unknown) => {
      failures.push(error)
    })
    underWay.push({ number: block.number, done })
  }
  await Promise.all(underWay.map(({ done }) => done))
  if (failures.length > 0) throw failures[0]
}
