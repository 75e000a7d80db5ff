import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test, vi } from 'vitest'
import { createCallExecutor } from '../../../../../infra/local/database/calls.ts'
import { createStorage } from '../../../../../infra/local/database/storage.ts'
import { readProvided } from '../../../../fixtures/machine/provided.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

const TableName = 'pets'

/**
 * Opens dynalite in this thread, without a server, with an empty table `pets` that has the keys and indexes of the
 * template.
 *
 * @param file keeps the tables
 */
const openDynalite = async (file = ':memory:') => {
  const performCall = createCallExecutor(createStorage(file))
  const { pets } = readProvided('tableNames')
  const table = readProvided('tables').find(({ name }) => name === pets)
  if (table === undefined) throw new Error(`The template has no table ${pets}.`)
  const { name: _, ...definition } = table
  await performCall('CreateTable', { TableName, BillingMode: 'PAY_PER_REQUEST', ...definition })
  // dynalite completes the creation in a turn of its own.
  await vi.waitFor(async () => {
    const description = await performCall('DescribeTable', { TableName })
    if (Object(description).Table.TableStatus !== 'ACTIVE') throw new Error('The table is being created.')
  })
  return performCall
}

const createItem = (id: string) => ({ id: { N: id }, status: { S: 'sold' }, name: { S: 'Zoë' } })

/** The put of an item that must be new. Its error has the item that exists already. */
const createPut = (id: string) => ({
  TableName,
  Item: createItem(id),
  ConditionExpression: 'attribute_not_exists(id)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
})

const createPuts = (count: number) => Array.from({ length: count }, (_, index) => ({ Put: createPut(String(index)) }))

/** Reads the table by its index. */
const scanIndex = { TableName, IndexName: 'status-index' }

let perform: Awaited<ReturnType<typeof openDynalite>>
beforeEach(async () => {
  perform = await openDynalite()
  await perform('PutItem', createPut('7'))
})

// Tests of the service, in test/unit/shared, ask for the old item and get it.
test('a write whose condition fails has no old item in its error unless it asks for the item', async () => {
  const quietPut = { ...createPut('7'), ReturnValuesOnConditionCheckFailure: 'NONE' }

  await expect(perform('PutItem', quietPut)).rejects.toHaveProperty('body', {
    __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    message: 'The conditional request failed',
  })
})

test.each([
  {
    what: 'two writes of one item',
    writes: [...createPuts(1), ...createPuts(1)],
    message: 'Transaction request cannot include multiple operations on one item',
  },
  { what: 'no write', writes: [], message: 'TransactItems must be an array of 1 to 100 writes.' },
  { what: '101 writes', writes: createPuts(101), message: 'TransactItems must be an array of 1 to 100 writes.' },
  {
    what: 'a condition check',
    writes: [{ ConditionCheck: {} }],
    message: 'The local database does not support ConditionCheck in a transaction.',
  },
])('a transaction of $what is refused', async ({ writes, message }) => {
  await expect(perform('TransactWriteItems', { TransactItems: writes })).rejects.toMatchObject({
    statusCode: 400,
    message,
  })
})

test('a call that the local database does not support is refused', async () => {
  await expect(perform('TransactGetItems', {})).rejects.toThrow('The local database does not support TransactGetItems.')
})

test('an item of more than 400 KB is refused', async () => {
  const item = { id: { N: '8' }, name: { S: 'a'.repeat(400 * 1024) } }

  await expect(perform('PutItem', { TableName, Item: item })).rejects.toThrow(
    'Item size has exceeded the maximum allowed size',
  )
})

/** Writes the file of an earlier start without tables, and executes further statements. @returns its path */
const writeFile = (statements: string): string => {
  const file = join(createTemporaryFolder(), 'dynamodb.sqlite')
  const sqlite = new DatabaseSync(file)
  sqlite.exec(`
    CREATE TABLE entries (place TEXT, key TEXT, value TEXT, PRIMARY KEY (place, key)) WITHOUT ROWID;
    ${statements}
  `)
  sqlite.close()
  return file
}

test('a call that fails in its middle leaves no part of itself in the file', async () => {
  // dynalite writes the entry of an index before its item.
  const file = writeFile(`
    CREATE TRIGGER refuse_items BEFORE INSERT ON entries
    WHEN NEW.place LIKE 'item%'
    BEGIN SELECT RAISE(ABORT, 'refused'); END
  `)
  perform = await openDynalite(file)

  await expect(perform('PutItem', createPut('7'))).rejects.toMatchObject({
    statusCode: 500,
    message: expect.stringMatching(/dynamodb\.sqlite cannot be written \(Error: refused\)\. Is its disk full\?$/),
  })

  expect(await perform('Scan', scanIndex)).toMatchObject({ Items: [] })
})

test('a table whose creation was interrupted can be created at the next start', async () => {
  const file = writeFile(
    `INSERT INTO entries VALUES ('table', 'pets', '{"TableName":"pets","TableStatus":"CREATING"}')`,
  )

  perform = await openDynalite(file)

  expect(await perform('Scan', scanIndex)).toMatchObject({ Items: [] })
})
