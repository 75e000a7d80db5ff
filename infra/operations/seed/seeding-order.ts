import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import { inParallel } from '../../command-line/in-parallel.ts'
import { maximumPets, seededPetId } from './seeded-pet.ts'

/**
 * How many pets are written together. The pets of a block are all done before the next block is begun, so where a pet
 * exists, all blocks before its own are complete. That makes it possible to resume an interrupted seeding exactly.
 */
const blockSize = 200

/**
 * Reads from the table itself how far an earlier seeding came, so no separate mark can go stale. A binary search
 * (24 reads for ten million) finds a pet that exists before one that does not. By the order in which pets are
 * written, only those of the blocks of these two may exist or not: each is read.
 *
 * @returns how many exist, whether one does, and from which index on none does
 */
export const findSeeded = async (client: DynamoDBDocumentClient, table: string) => {
  const exists = async (index: number): Promise<boolean> => {
    const key = { TableName: table, Key: { id: seededPetId(index) } }
    const { Item } = await client.send(new GetCommand({ ...key, ConsistentRead: true, ProjectionExpression: 'id' }))
    return Item !== undefined
  }
  let present = -1
  let absent = maximumPets
  while (absent - present > 1) {
    const middle = Math.floor((present + absent) / 2)
    if (await exists(middle)) present = middle
    else absent = middle
  }
  const first = Math.floor(Math.max(0, present) / blockSize) * blockSize
  const end = Math.min(maximumPets, (Math.floor(absent / blockSize) + 1) * blockSize)
  const found = await inParallel(rangeOf(first, end), exists)
  return {
    count: first + found.filter((isFound) => isFound).length,
    end,
    has: (index: number) => index < first || found[index - first] === true,
  }
}

/**
 * The wanted indexes below an end, block by block: the first block first, or the last. Lazily: ten million indexes are
 * never in memory at once.
 */
export function* blocksOf(
  end: number,
  order: 'ascending' | 'descending',
  isWanted: (index: number) => boolean,
): Generator<readonly number[]> {
  const blocks = Math.ceil(end / blockSize)
  for (let done = 0; done < blocks; done += 1) {
    const first = (order === 'ascending' ? done : blocks - 1 - done) * blockSize
    const indexes = rangeOf(first, Math.min(end, first + blockSize)).filter(isWanted)
    if (indexes.length > 0) yield indexes
  }
}

const rangeOf = (first: number, end: number): readonly number[] =>
  Array.from({ length: end - first }, (_, offset) => first + offset)
