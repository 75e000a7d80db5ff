import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PutItemCommand, ScanCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { createTables } from '../../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../../infra/local/database/dynalite.ts'
import { createOperations } from '../../../../infra/local/database/operations.ts'
import { createStore } from '../../../../infra/local/database/store.ts'
import type { Table } from '../../../../infra/local/template/environment-template.ts'
import { connectToLocalDatabase } from '../../../../infra/operations/environment/local-database.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

// The behaviours of DynamoDB that the service needs are tested on both engines in test/unit/shared.

describe('dynalite', () => {
  /** Sends a request to the built-in database, and returns the status of its response. */
  const readStatus = async (headers: Readonly<Record<string, string>>, body = '{}'): Promise<number | undefined> => {
    const [engine] = inject('engines')
    const sent = request(engine?.endpoint ?? '', { method: 'POST', headers })
    sent.end(body)
    const [response]: IncomingMessage[] = await once(sent, 'response')
    response?.resume()
    return response?.statusCode
  }
  const listTables = { 'X-Amz-Target': 'DynamoDB_20120810.ListTables' }

  test('dynalite responds to a program', async () => {
    expect(await readStatus(listTables)).toBe(200)
  })

  test('dynalite refuses a web page', async () => {
    expect(await readStatus({ ...listTables, Origin: 'http://127.0.0.1:3000' })).toBe(403)
  })

  test('dynalite refuses a web page whose host name resolves to this machine', async () => {
    expect(await readStatus({ ...listTables, Host: '127.0.0.1.page.example' })).toBe(403)
  })

  test('dynalite refuses an operation that it does not support', async () => {
    expect(await readStatus({ 'X-Amz-Target': 'DynamoDB_20120810.TransactGetItems' })).toBe(400)
  })

  test('dynalite refuses a condition check in a transaction', async () => {
    const headers = { 'X-Amz-Target': 'DynamoDB_20120810.TransactWriteItems' }

    expect(await readStatus(headers, '{"TransactItems":[{"ConditionCheck":{}}]}')).toBe(400)
  })
})

test('dynalite refuses an item of more than 400 KB', async () => {
  const perform = createOperations(createStore(':memory:'))
  await perform('CreateTable', {
    TableName: 'pets',
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  })
  const item = { id: { S: 'a' }, name: { S: 'a'.repeat(400 * 1024) } }

  await expect(perform('PutItem', { TableName: 'pets', Item: item })).rejects.toThrow('Item size has exceeded')
})

describe('The file of dynalite', () => {
  const allTables = inject('tables')
  const hasStatusIndex = ({ GlobalSecondaryIndexes = [] }: Table) =>
    GlobalSecondaryIndexes.some(({ IndexName }) => IndexName === 'status-index')
  const petTables = allTables.filter(hasStatusIndex)
  const otherTables = allTables.filter((table) => !hasStatusIndex(table))
  const statusIndex = { TableName: petTables[0]?.name, IndexName: 'status-index' }

  let folder: string
  let file: string
  beforeEach(() => {
    folder = createTemporaryFolder()
    file = join(folder, 'dynamodb.sqlite')
  })

  /** Starts dynalite on the folder, with the pets table by default. Acts on the database, and closes it. */
  const withDatabase = async <Result>(
    act: (client: ReturnType<typeof connectToLocalDatabase>) => Promise<Result>,
    { fresh = false, tables = petTables }: { fresh?: boolean; tables?: readonly Table[] } = {},
  ): Promise<Result> => {
    await using resources = new AsyncDisposableStack()
    const database = await startDynalite({ folder, fresh })
    resources.defer(database.close)
    const client = connectToLocalDatabase(database.endpoint)
    await createTables(client, tables)
    return await act(client)
  }

  /** Adds a pet while dynalite runs, and closes the database. */
  const addPet = (name: string) =>
    withDatabase(async (client) => {
      const item = { id: { N: '7' }, status: { S: 'sold' }, name: { S: name } }
      await client.send(new PutItemCommand({ TableName: statusIndex.TableName, Item: item }))
    })

  /** Starts dynalite, reads the names of all pets from the index, and closes the database. */
  const readNames = (options: { fresh?: boolean } = {}) =>
    withDatabase(async (client) => {
      const { Items = [] } = await client.send(new ScanCommand(statusIndex))
      return Items.map((item) => item['name']?.S)
    }, options)

  const executeSql = (statement: string): void => {
    const sqlite = new DatabaseSync(file)
    sqlite.exec(statement)
    sqlite.close()
  }

  const createItem = (id: string) => ({ id: { N: id }, status: { S: 'sold' }, name: { S: 'Zoë' } })

  test('A write whose condition fails has no old item in its error, unless it asks for the item', async () => {
    await addPet('Zoë')
    const put = new PutItemCommand({
      TableName: statusIndex.TableName,
      Item: createItem('7'),
      ConditionExpression: 'attribute_not_exists(id)',
      ReturnValuesOnConditionCheckFailure: 'NONE',
    })

    const error = await withDatabase((client) => client.send(put).catch((cause: unknown) => cause))

    expect(error).toMatchObject({ name: 'ConditionalCheckFailedException', Item: undefined })
  })

  test('A transaction that is cancelled writes nothing, and says why for each of its writes', async () => {
    await addPet('Zoë')
    const ids = ['7', '8']
    const transaction = new TransactWriteItemsCommand({
      TransactItems: ids.map((id) => ({
        Put: {
          TableName: statusIndex.TableName,
          Item: createItem(id),
          ConditionExpression: 'attribute_not_exists(id)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
        },
      })),
    })

    const error = await withDatabase((client) => client.send(transaction).catch((cause: unknown) => cause))

    expect(error).toMatchObject({
      name: 'TransactionCanceledException',
      message:
        'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]',
      CancellationReasons: [{ Code: 'ConditionalCheckFailed', Item: createItem('7') }, { Code: 'None' }],
    })
    expect(await readNames()).toEqual(['Zoë'])
  })

  test.each([
    { what: 'two writes of one item', ids: ['7', '7'], message: 'multiple operations on one item' },
    { what: 'no write', ids: [], message: 'TransactItems must be an array of 1 to 100 writes.' },
    {
      what: 'more than 100 writes',
      ids: Array.from({ length: 101 }, (_, index) => String(index)),
      message: 'TransactItems must be an array of 1 to 100 writes.',
    },
  ])('A transaction of $what is refused as invalid', async ({ ids, message }) => {
    const transaction = new TransactWriteItemsCommand({
      TransactItems: ids.map((id) => ({ Put: { TableName: statusIndex.TableName, Item: createItem(id) } })),
    })

    const error = await withDatabase((client) => client.send(transaction).catch((cause: unknown) => cause))

    expect(error).toMatchObject({ name: 'ValidationException', message: expect.stringContaining(message) })
    expect(await readNames()).toEqual([])
  })

  test('A body that is not JSON is refused with 400, which no SDK repeats', async () => {
    await using database = { ...(await startDynalite()), [Symbol.asyncDispose]: () => database.close() }

    const response = await fetch(database.endpoint, {
      method: 'POST',
      headers: { 'X-Amz-Target': 'DynamoDB_20120810.ListTables' },
      body: '{',
    })

    expect(response.status).toBe(400)
    expect(await response.text()).toContain('SerializationException')
  })

  test('The file of dynalite keeps the items of a start for the next one', async () => {
    await addPet('Zoë')

    expect(await readNames()).toEqual(['Zoë'])
  })

  test('The file of dynalite keeps no items for a fresh start', async () => {
    await addPet('Zoë')

    expect(await readNames({ fresh: true })).toEqual([])
  })

  test('The file of dynalite has no part of an operation that fails in its middle', async () => {
    await readNames()
    // dynalite writes the entry of an index before its item.
    executeSql(`
      CREATE TRIGGER refuse_items BEFORE INSERT ON entries
      WHEN NEW.place LIKE 'item%'
      BEGIN SELECT RAISE(ABORT, 'refused'); END
    `)

    await expect(addPet('Max')).rejects.toThrow(
      /dynamodb\.sqlite cannot be written \(Error: refused\)\. Is its disk full\?$/,
    )

    expect(await readNames()).toEqual([])
    expect(await readNames({ fresh: true })).toEqual([])
  })

  // Without it, a kill in the middle of a write could damage the file. The mode stays in the file.
  test('The file of dynalite has a write-ahead log', async () => {
    await addPet('Zoë')

    const sqlite = new DatabaseSync(file)
    const mode = sqlite.prepare('PRAGMA journal_mode').get()
    sqlite.close()

    expect(mode).toEqual({ journal_mode: 'wal' })
  })

  test('A table whose creation was interrupted is created at the next start', async () => {
    await addPet('Milo')
    executeSql(`UPDATE entries SET value = replace(value, '"ACTIVE"', '"CREATING"') WHERE place = 'table'`)

    await addPet('Luna')

    expect(await readNames()).toEqual(['Luna'])
  })

  test('The file of dynalite keeps its tables when the template has other tables of the same name', async () => {
    await addPet('Luna')
    const changedTables = otherTables.slice(0, 1).map((table) => ({ ...table, name: statusIndex.TableName ?? '' }))

    await expect(withDatabase(async () => undefined, { tables: changedTables })).rejects.toThrow('Start with --fresh.')

    expect(await readNames()).toEqual(['Luna'])
  })

  test('The file of dynalite is used by one process at a time, even if another wants a fresh start', async () => {
    await addPet('Luna')
    const database = await startDynalite({ folder })

    const message =
      'Another process uses the database of the data folder. ' +
      'Wait until it has ended, or choose another folder with --data.'
    await expect(startDynalite({ folder })).rejects.toThrow(message)
    await expect(startDynalite({ folder, fresh: true })).rejects.toThrow(message)

    await database.close()
    expect(await readNames()).toEqual(['Luna'])
  })

  describe('that is no database', () => {
    beforeEach(() => {
      writeFileSync(file, 'years of work\n')
    })

    test('A file that is no database is an error, and is not changed', async () => {
      await expect(startDynalite({ folder })).rejects.toThrow(/^The database cannot be opened \(.*--fresh\.$/)

      expect(readFileSync(file, 'utf8')).toBe('years of work\n')
    })

    test('A file that is no database is replaced by a fresh start', async () => {
      expect(await readNames({ fresh: true })).toEqual([])
    })
  })
})
