import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import { seededPetId } from './seeded-pet.ts'
import { blockSize, reach, type Seeded } from './seeding-order.ts'

/**
 * Finds out from the table itself how far an earlier seeding came; nothing else keeps a mark that could go
 * stale. A binary search (24 reads for ten million) finds a pet that is there before one that is not. By the
 * order in which pets are written, only those within reach of that border may be either: each is looked up.
 */
export const findSeeded = async (client: DynamoDBDocumentClient, table: string, count: number): Promise<Seeded> => {
  const isThere = async (index: number): Promise<boolean> => {
    const key = { TableName: table, Key: { id: seededPetId(index) } }
    const { Item } = await client.send(new GetCommand({ ...key, ConsistentRead: true, ProjectionExpression: 'id' }))
    return Item !== undefined
  }
  let there = -1
  let notThere = count
  while (notThere - there > 1) {
    const middle = Math.floor((there + notThere) / 2)
    if (await isThere(middle)) there = middle
    else notThere = middle
  }
  const noneFrom = Math.min(count, notThere + reach)
  const missing: number[] = []
  for (let first = Math.max(0, there - reach); first < noneFrom; first += blockSize) {
    const indexes = Array.from({ length: Math.min(blockSize, noneFrom - first) }, (_, offset) => first + offset)
    const found = await Promise.all(indexes.map(isThere))
    missing.push(...indexes.filter((_, position) => !found[position]))
  }
  return { missing, noneFrom }
}
