import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { connectToLocalDatabase } from '../../../../infra/commands/environment/local-database.ts'
import { createTables } from '../../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../../infra/local/database/dynalite.ts'
import { openDynalite } from '../../../fixtures/database/open-dynalite.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

// The behaviours of DynamoDB that the service needs are tested on both engines in test/unit/shared.

const [engine] = inject('engines')
const endpoint = engine?.endpoint ?? ''

describe('The server of dynalite', () => {
  /** Sends a request to dynalite, and returns the status of its response. */
  const readStatus = async (headers: Readonly<Record<string, string>>, body = '{}'): Promise<number | undefined> => {
    const target = { 'X-Amz-Target': 'DynamoDB_20120810.ListTables' }
    const sent = request(endpoint, { method: 'POST', headers: { ...target, ...headers } })
    sent.end(body)
    const [response]: IncomingMessage[] = await once(sent, 'response')
    response?.resume()
    return response?.statusCode
  }

  test('dynalite responds to a program', async () => {
    expect(await readStatus({})).toBe(200)
  })

  test('dynalite refuses a web page', async () => {
    expect(await readStatus({ Origin: 'http://127.0.0.1:3000' })).toBe(403)
  })

  test('dynalite refuses a web page whose host name resolves to this machine', async () => {
    expect(await readStatus({ Host: '127.0.0.1.page.example' })).toBe(403)
  })

  test('dynalite refuses a body that is not JSON with 400, which no SDK repeats', async () => {
    expect(await readStatus({}, '{')).toBe(400)
  })
})

const TableName = 'pets'

const createItem = (id: string) => ({ id: { N: id }, status: { S: 'sold' }, name: { S: 'Zoë' } })

/** The put of a new item. It asks for the item that exists already. */
const createPut = (id: string) => ({
  TableName,
  Item: createItem(id),
  ConditionExpression: 'attribute_not_exists(id)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
})

const createPuts = (count: number) => Array.from({ length: count }, (_, index) => ({ Put: createPut(String(index)) }))

/** Reads the table by its index. */
const scanIndex = { TableName, IndexName: 'status-index' }

describe('The operations of dynalite', () => {
  let perform: Awaited<ReturnType<typeof openDynalite>>
  beforeEach(async () => {
    perform = await openDynalite()
    await perform('PutItem', createPut('7'))
  })

  test('A write whose condition fails has the old item in its error only if it asks for the item', async () => {
    await expect(perform('PutItem', createPut('7'))).rejects.toMatchObject({ body: { Item: createItem('7') } })

    const quietPut = { ...createPut('7'), ReturnValuesOnConditionCheckFailure: 'NONE' }
    await expect(perform('PutItem', quietPut)).rejects.toHaveProperty('body', {
      __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
      message: 'The conditional request failed',
    })
  })

  test('A transaction that is cancelled writes nothing, and says why for each of its writes', async () => {
    const transaction = { TransactItems: [{ Put: createPut('8') }, { Put: createPut('7') }] }

    await expect(perform('TransactWriteItems', transaction)).rejects.toMatchObject({
      body: {
        __type: expect.stringContaining('#TransactionCanceledException'),
        Message: expect.stringMatching(/ \[None, ConditionalCheckFailed\]$/),
        CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: createItem('7') }],
      },
    })
    expect(await perform('Scan', scanIndex)).toMatchObject({ Items: [createItem('7')] })
  })

  test.each([
    { what: 'two writes of one item', writes: [...createPuts(1), ...createPuts(1)], message: 'operations on one item' },
    { what: 'no write', writes: [], message: 'TransactItems must be an array of 1 to 100 writes.' },
    { what: 'more than 100 writes', writes: createPuts(101), message: 'TransactItems must be an array of 1 to 100' },
    { what: 'a condition check', writes: [{ ConditionCheck: {} }], message: 'not support ConditionCheck' },
  ])('A transaction of $what is refused', async ({ writes, message }) => {
    await expect(perform('TransactWriteItems', { TransactItems: writes })).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining(message),
    })
  })

  test('An operation that dynalite does not support is refused', async () => {
    await expect(perform('TransactGetItems', {})).rejects.toThrow('does not support TransactGetItems')
  })

  test('An item of more than 400 KB is refused', async () => {
    const item = { id: { N: '8' }, name: { S: 'a'.repeat(400 * 1024) } }

    await expect(perform('PutItem', { TableName, Item: item })).rejects.toThrow('Item size has exceeded')
  })
})

test('A table of a template that has other keys or indexes than the existing one is an error', async () => {
  const client = connectToLocalDatabase(endpoint)
  onTestFinished(() => client.destroy())
  const name = randomUUID()
  const [table, otherTable] = inject('tables').map((definition) => ({ ...definition, name }))
  if (table === undefined || otherTable === undefined) throw new Error('The template has no two tables.')
  await createTables(client, [table])

  await expect(createTables(client, [otherTable])).rejects.toThrow('Start with --fresh.')
})

describe('The file of dynalite', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = createTemporaryFolder()
    file = join(folder, 'dynamodb.sqlite')
  })

  /** Opens the file, and executes a statement. */
  const executeSql = (statement: string) => {
    const sqlite = new DatabaseSync(file)
    const row = sqlite.prepare(statement).get()
    sqlite.close()
    return row
  }

  /** Writes the file of an earlier start without tables. */
  const writeEmptyFile = (): void => {
    executeSql('CREATE TABLE entries (place TEXT, key TEXT, value TEXT, PRIMARY KEY (place, key)) WITHOUT ROWID')
  }

  /** Starts dynalite on the folder, acts on its tables, and closes it. */
  const withDatabase = async <Result>(
    act: (client: ReturnType<typeof connectToLocalDatabase>, name: string) => Promise<Result>,
    fresh = false,
  ): Promise<Result> => {
    await using resources = new AsyncDisposableStack()
    const database = await startDynalite({ folder, fresh })
    resources.defer(database.close)
    const client = connectToLocalDatabase(database.endpoint)
    resources.defer(() => client.destroy())
    await createTables(client, inject('tables'))
    return await act(client, inject('tableNames').pets)
  }

  const readItem = async (client: ReturnType<typeof connectToLocalDatabase>, name: string) => {
    const { Item } = await client.send(new GetItemCommand({ TableName: name, Key: { id: { N: '7' } } }))
    return Item
  }

  test('The file of dynalite is used by one start at a time, and keeps its items until a fresh start', async () => {
    await withDatabase(async (client, name) => {
      await client.send(new PutItemCommand({ TableName: name, Item: createItem('7') }))

      const message =
        'Another process uses the database of the data folder. ' +
        'Wait until it has ended, or choose another folder with --data.'
      await expect(startDynalite({ folder })).rejects.toThrow(message)
      await expect(startDynalite({ folder, fresh: true })).rejects.toThrow(message)
    })

    // Without a write-ahead log, a kill in the middle of a write could damage the file. The mode stays in the file.
    expect(executeSql('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' })
    expect(await withDatabase(readItem)).toEqual(createItem('7'))
    expect(await withDatabase(readItem, true)).toBeUndefined()
  })

  test('A file that is no database is an error and stays as it is, until a fresh start replaces it', async () => {
    writeFileSync(file, 'years of work\n')

    await expect(startDynalite({ folder })).rejects.toThrow(/^The database cannot be opened \(.*--fresh\.$/)
    expect(readFileSync(file, 'utf8')).toBe('years of work\n')

    expect(await withDatabase(readItem, true)).toBeUndefined()
  })

  test('The file of dynalite has no part of an operation that fails in its middle', async () => {
    writeEmptyFile()
    // dynalite writes the entry of an index before its item.
    executeSql(`
      CREATE TRIGGER refuse_items BEFORE INSERT ON entries
      WHEN NEW.place LIKE 'item%'
      BEGIN SELECT RAISE(ABORT, 'refused'); END
    `)
    const perform = await openDynalite(file)

    await expect(perform('PutItem', createPut('7'))).rejects.toMatchObject({
      statusCode: 500,
      message: expect.stringMatching(/dynamodb\.sqlite cannot be written \(Error: refused\)\. Is its disk full\?$/),
    })

    expect(await perform('Scan', scanIndex)).toMatchObject({ Items: [] })
  })

  test('A table whose creation was interrupted can be created at the next start', async () => {
    writeEmptyFile()
    executeSql(`INSERT INTO entries VALUES ('table', 'pets', '{"TableName":"pets","TableStatus":"CREATING"}')`)

    const perform = await openDynalite(file)

    expect(await perform('Scan', scanIndex)).toMatchObject({ Items: [] })
  })
})
