import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createTables, deleteTables } from '../../../../infra/local/database/create-tables.ts'
import { type Database, startDynalite } from '../../../../infra/local/database/dynalite.ts'
import { connect } from '../../../../infra/operations/target/local-database.ts'
import { createFreshTables, describeOnEachEngine } from '../../../fixtures/engines.ts'
import { temporaryFolder } from './fixtures.ts'

const item = { id: { N: '7' }, status: { S: 'sold' }, name: { S: 'Bella' }, big: { N: '9223372036854775807' } }
const Key = { id: { N: '7' } }

const tables = inject('tables').filter(({ GlobalSecondaryIndexes }) => GlobalSecondaryIndexes !== undefined)

const ofStatus = (TableName: string, status: string) => ({
  TableName,
  IndexName: 'status-index',
  KeyConditionExpression: '#s = :s',
  ExpressionAttributeNames: { '#s': 'status' },
  ExpressionAttributeValues: { ':s': { S: status } },
})

// What the service rests on, on the built-in engine and on the official one.
describeOnEachEngine('The database', (engine) => {
  const client = connect(engine.endpoint)
  let TableName: string
  beforeAll(async () => {
    TableName = (await createFreshTables(engine)).pets
    await client.send(new PutItemCommand({ TableName, Item: item }))
  })

  const found = async (status: string) => (await client.send(new QueryCommand(ofStatus(TableName, status)))).Items
  const whenNew = { ConditionExpression: 'attribute_not_exists(id)' }
  const whenThere = { ConditionExpression: 'attribute_exists(id)' }
  const old = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const
  const update = { UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': { N: '1' } } }

  test('gives the existing item where a condition fails and the request asks for it', async () => {
    const failing = { TableName, ...whenNew, ...old }
    const outcomes = await Promise.allSettled([
      client.send(new PutItemCommand({ ...failing, Item: Key })),
      client.send(new UpdateItemCommand({ ...failing, ...update, Key })),
      client.send(new DeleteItemCommand({ ...failing, Key })),
      client.send(new PutItemCommand({ TableName, ...whenNew, Item: Key })),
      client.send(new UpdateItemCommand({ ...failing, ...whenThere, ...update, Key: { id: { N: '8' } } })),
    ])
    const name = 'ConditionalCheckFailedException'
    const [asked, other] = [item, undefined].map((Item) => ({ status: 'rejected', reason: { name, Item } }))
    expect(outcomes).toMatchObject([asked, asked, asked, other, other])
  })

  test('makes all writes of a transaction or none, and says which condition was not met', async () => {
    const written = (id: string, ConditionExpression: string) => ({
      Put: { TableName, Item: { id: { N: id }, status: { S: 'together' } }, ConditionExpression, ...old },
    })
    const changed = { Update: { TableName, Key, ...whenThere, ...update } }
    const send = (...TransactItems: TransactWriteItem[]) =>
      client.send(new TransactWriteItemsCommand({ TransactItems }))
    const fresh = written('11', whenNew.ConditionExpression)
    await expect(
      send(fresh, written('9', whenThere.ConditionExpression), { Delete: { TableName, Key, ...whenNew, ...old } }),
    ).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [
        { Code: 'None' },
        { Code: 'ConditionalCheckFailed' },
        { Code: 'ConditionalCheckFailed', Item: item },
      ],
    })
    const itself = async () => (await client.send(new GetItemCommand({ TableName, Key }))).Item
    expect([await found('together'), await itself()]).toEqual([[], item])
    await send(changed, fresh)
    expect([(await found('together'))?.length, await itself()]).toEqual([1, { ...item, a: { N: '1' } }])
  })

  test('has an item under its key of an index alone, and pages through them in both directions', async () => {
    for (const status of ['before', 'paged']) {
      for (let id = 100; id < 110; id += 1) {
        await client.send(new PutItemCommand({ TableName, Item: { id: { N: `${id}` }, status: { S: status } } }))
      }
    }
    const atOnce = await Promise.all(Array.from({ length: 20 }, (_, place) => found(place % 2 ? 'before' : 'paged')))
    expect(atOnce.map((items) => items?.length)).toEqual(Array.from({ length: 20 }, (_, place) => (place % 2 ? 0 : 10)))
    const all = Array.from({ length: 10 }, (_, place) => 100 + place)
    for (const ScanIndexForward of [true, false]) {
      const pages = paginateQuery({ client, pageSize: 3 }, { ...ofStatus(TableName, 'paged'), ScanIndexForward })
      const ids = (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items.map(({ id }) => Number(id?.N)))
      expect(ids).toEqual(ScanIndexForward ? all : all.toReversed())
    }
  })

  test('keeps existing tables, refuses others of the same name, and deletes them for a fresh start', async () => {
    const own = tables.map((table) => ({ ...table, name: TableName }))
    await createTables(client, own)
    expect((await client.send(new GetItemCommand({ TableName, Key }))).Item).toBeDefined()
    const renamed = { IndexName: 'another-index' }
    const other = own.map(({ GlobalSecondaryIndexes = [], ...table }) => ({
      ...table,
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map((index) => ({ ...index, ...renamed })),
    }))
    await expect(createTables(client, other)).rejects.toThrow('Start with --fresh.')
    await deleteTables(client, own)
    await createTables(client, own)
    expect((await client.send(new GetItemCommand({ TableName, Key }))).Item).toBeUndefined()
  })
})

describe('dynalite', () => {
  let database: Database
  beforeAll(async () => {
    database = await startDynalite()
  })
  afterAll(() => database.close())

  const statusFor = async (headers: Readonly<Record<string, string>>) => {
    const listing = { method: 'POST', headers: { 'X-Amz-Target': 'DynamoDB_20120810.ListTables', ...headers } }
    const [response]: IncomingMessage[] = await once(request(database.endpoint, listing).end('{}'), 'response')
    return response?.resume().statusCode
  }

  test.each([
    ['responds to a program', {}, 200],
    ['refuses a web page', { Origin: 'http://127.0.0.1:3000' }, 403],
    ['refuses a web page whose host name resolves to this machine', { Host: '127.0.0.1.page.example' }, 403],
    ['refuses what it does not support', { 'X-Amz-Target': 'DynamoDB_20120810.TransactGetItems' }, 400],
  ])('%s', async (_whom, headers, status) => {
    expect(await statusFor(headers)).toBe(status)
  })

  test('refuses a transaction that it does not support', async () => {
    const headers = { 'X-Amz-Target': 'DynamoDB_20120810.TransactWriteItems' }
    const body = JSON.stringify({ TransactItems: [{ ConditionCheck: {} }] })
    const response = await fetch(database.endpoint, { method: 'POST', headers, body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: expect.stringContaining('does not support') })
  })

  test('continues when a caller closes its connection in the middle of a request', async () => {
    const socket = connectSocket(Number(new URL(database.endpoint).port), '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf', () =>
      socket.resetAndDestroy(),
    )
    await once(socket, 'close')
    expect(await statusFor({})).toBe(200)
  })
})

describe('The file of dynalite', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'dynamodb.sqlite')
  const TableName = tables[0]?.name ?? ''

  /** Starts it, adds an item of this name, and ends. @returns the names of all items */
  const run = async (name?: string, fresh = false) => {
    await using resources = new AsyncDisposableStack()
    const database = await startDynalite({ folder, fresh })
    resources.defer(database.close)
    const client: DynamoDBClient = connect(database.endpoint)
    await createTables(client, tables)
    const Item = { ...item, name: { S: name ?? '' } }
    if (name !== undefined) await client.send(new PutItemCommand({ TableName, Item }))
    const { Items = [] } = await client.send(new QueryCommand(ofStatus(TableName, 'sold')))
    return Items.map((one) => one['name']?.S)
  }

  test('has the items of a start at the next one, and none at a fresh one', async () => {
    expect(await run('Zoë')).toEqual(['Zoë'])
    expect(await run()).toEqual(['Zoë'])
    expect(await run(undefined, true)).toEqual([])
  })

  test('has nothing of an operation that fails in its middle', async () => {
    await run()
    const sqlite = new DatabaseSync(file)
    // An index entry is written before its item.
    sqlite.exec(
      `CREATE TRIGGER f BEFORE INSERT ON entries WHEN NEW.place LIKE 'item%' BEGIN SELECT RAISE(ABORT, '!'); END`,
    )
    sqlite.close()
    await expect(run('Max')).rejects.toThrow(/dynamodb\.sqlite cannot be written \(Error: !\)\. Is its disk full\?$/)
    expect(await run()).toEqual([])
    expect(await run(undefined, true)).toEqual([])
  })

  test('forgets a table whose creation was cut off, so that the next start creates it', async () => {
    await run('Milo')
    const sqlite = new DatabaseSync(file)
    sqlite.exec(`UPDATE entries SET value = replace(value, '"ACTIVE"', '"CREATING"') WHERE place = 'table'`)
    sqlite.close()
    expect(await run('Luna')).toEqual(['Luna'])
  })

  test('is of one process, also where another wants to start afresh', async () => {
    const database = await startDynalite({ folder })
    const others = await Promise.allSettled([startDynalite({ folder }), startDynalite({ folder, fresh: true })])
    expect(others.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await database.close()
    expect(await run()).toEqual(['Luna'])
  })

  test('is no file of something else, which stays as it is', async () => {
    writeFileSync(file, 'years of work\n')
    await expect(startDynalite({ folder })).rejects.toThrow(/^The database cannot be opened \(.*--fresh\.$/)
    expect(readFileSync(file, 'utf8')).toBe('years of work\n')
    expect(await run(undefined, true)).toEqual([])
  })
})
