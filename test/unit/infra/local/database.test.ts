import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createTables, deleteTables } from '../../../../infra/local/database/create-tables.ts'
import type { Database } from '../../../../infra/local/database/database.ts'
import { startDynalite } from '../../../../infra/local/database/dynalite.ts'
import { connect } from '../../../../infra/operations/target/local-database.ts'
import { createFreshTables, describeOnEachEngine } from '../../../fixtures/engines.ts'
import { listTables, noTables } from './database-request.ts'
import { temporaryFolder } from './fixtures.ts'

const item = { id: { N: '7' }, status: { S: 'sold' }, name: { S: 'Bella' }, big: { N: '9223372036854775807' } }
const Key = { id: { N: '7' } }

const ofStatus = (TableName: string, status: string): QueryCommand =>
  new QueryCommand({
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

  const whenNew = { ConditionExpression: 'attribute_not_exists(id)' }
  const whenThere = { ConditionExpression: 'attribute_exists(id)' }
  const old = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const
  const update = { UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': { N: '1' } } }

  test.each([
    ['PutItem', () => client.send(new PutItemCommand({ TableName, ...whenNew, ...old, Item: Key })), item],
    ['UpdateItem', () => client.send(new UpdateItemCommand({ TableName, ...whenNew, ...old, ...update, Key })), item],
    ['DeleteItem', () => client.send(new DeleteItemCommand({ TableName, ...whenNew, ...old, Key })), item],
    [
      'PutItem that does not ask',
      () => client.send(new PutItemCommand({ TableName, ...whenNew, Item: Key })),
      undefined,
    ],
    [
      'UpdateItem where there is none',
      () => client.send(new UpdateItemCommand({ TableName, ...whenThere, ...old, ...update, Key: { id: { N: '8' } } })),
      undefined,
    ],
  ])('gives the existing item when the condition fails: %s', async (_name, send, expected) => {
    const error = await send().catch((caught: unknown) => caught)
    if (!(error instanceof ConditionalCheckFailedException)) throw new Error('The condition was met.')
    expect(error.Item).toEqual(expected)
  })

  test('moves an item from one key of an index to another', async () => {
    const Item = { id: { N: '9' }, status: { S: 'pending' } }
    await client.send(new PutItemCommand({ TableName, Item }))
    await client.send(new PutItemCommand({ TableName, Item: { ...Item, status: { S: 'available' } } }))
    const found = async (status: string) => (await client.send(ofStatus(TableName, status))).Items
    expect([await found('sold'), await found('pending')]).toEqual([[item], []])
    expect(await found('available')).toHaveLength(1)
  })

  test('makes all writes of a transaction or none, and says which condition was not met', async () => {
    const written = (id: string, ConditionExpression: string) => ({
      Put: { TableName, Item: { id: { N: id }, status: { S: 'together' } }, ConditionExpression, ...old },
    })
    const changed = { Update: { TableName, Key, ...whenThere, ...update } }
    const send = (...TransactItems: TransactWriteItem[]) =>
      client.send(new TransactWriteItemsCommand({ TransactItems }))
    const refused = send(changed, written('11', whenNew.ConditionExpression), written('9', 'attribute_not_exists(id)'))
    await expect(refused).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [
        { Code: 'None' },
        { Code: 'None' },
        { Code: 'ConditionalCheckFailed', Item: { id: { N: '9' } } },
      ],
    })
    const together = async () => (await client.send(ofStatus(TableName, 'together'))).Items ?? []
    const itself = async () => (await client.send(new GetItemCommand({ TableName, Key }))).Item
    expect([await together(), await itself()]).toEqual([[], item])
    await send(changed, written('11', whenNew.ConditionExpression))
    expect([(await together()).length, await itself()]).toEqual([1, { ...item, a: { N: '1' } }])
  })

  test('pages through an index in both directions', async () => {
    for (let id = 100; id < 110; id += 1) {
      await client.send(new PutItemCommand({ TableName, Item: { id: { N: `${id}` }, status: { S: 'paged' } } }))
    }
    for (const ScanIndexForward of [true, false]) {
      const ids: number[] = []
      let next: QueryCommand['input']['ExclusiveStartKey']
      do {
        const { input } = ofStatus(TableName, 'paged')
        const page = { ...input, Limit: 3, ScanIndexForward, ExclusiveStartKey: next }
        const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand(page))
        ids.push(...Items.map(({ id }) => Number(id?.N)))
        next = LastEvaluatedKey
      } while (next !== undefined)
      const all = Array.from({ length: 10 }, (_, place) => 100 + place)
      expect(ids).toEqual(ScanIndexForward ? all : all.reverse())
    }
  })

  test('keeps existing tables, refuses others of the same name, and deletes them for a fresh start', async () => {
    const database = { endpoint: engine.endpoint, deletesExpiredItems: false, close: async () => undefined }
    const [table] = inject('tables').filter(({ GlobalSecondaryIndexes }) => GlobalSecondaryIndexes !== undefined)
    if (table === undefined) throw new Error('The template has no table with an index.')
    const own = { ...table, name: TableName }
    expect(await createTables(client, database, [own])).toEqual([])
    const { GlobalSecondaryIndexes, ...withoutIndex } = own
    await expect(createTables(client, database, [{ ...withoutIndex, GlobalSecondaryIndexes: [] }])).rejects.toThrow(
      'Start with --fresh.',
    )
    await deleteTables(client, [own])
    expect(await createTables(client, database, [own])).toEqual([TableName])
    expect((await client.send(new GetItemCommand({ TableName, Key }))).Item).toBeUndefined()
  })
})

describe('dynalite', () => {
  let database: Database
  beforeAll(async () => {
    database = await startDynalite()
  })
  afterAll(() => database.close())

  test.each([
    ['of a web page', { Origin: 'http://127.0.0.1:3000' }],
    ['for a host name that a page makes resolve to this machine', { Host: '127.0.0.1.page.example' }],
  ])('refuses a request %s', async (_whose, headers) => {
    const { status, body } = await listTables(database.endpoint, { headers })
    expect([status, JSON.parse(body)]).toMatchObject([403, { __type: 'AccessDeniedException' }])
  })

  test('continues when a caller closes its connection in the middle of a request', async () => {
    const socket = connectSocket(Number(new URL(database.endpoint).port), '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf')
    await setTimeout(50)
    socket.resetAndDestroy()
    await setTimeout(50)
    expect(await listTables(database.endpoint)).toMatchObject(noTables)
  })
})

describe('The journal of dynalite', () => {
  const file = join(temporaryFolder(), 'dynamodb.jsonl')
  const [table] = inject('tables').filter(({ GlobalSecondaryIndexes }) => GlobalSecondaryIndexes !== undefined)

  /** What the tables have after a start. */
  const reopen = async (then: (client: ReturnType<typeof connect>) => Promise<unknown> = async () => undefined) => {
    const database = await startDynalite(file)
    const client = connect(database.endpoint)
    const created = await createTables(client, database, table === undefined ? [] : [table])
    await then(client)
    const { Items = [] } = await client.send(ofStatus(table?.name ?? '', 'sold'))
    client.destroy()
    await database.close()
    return { created, names: Items.map(({ name }) => name?.S) }
  }
  const put = (name: string) => (client: ReturnType<typeof connect>) =>
    client.send(new PutItemCommand({ TableName: table?.name, Item: { ...item, name: { S: name } } }))

  test('has an item with its index entry in one line, and ignores a line without an end', async () => {
    expect(await reopen(put('Zoë'))).toEqual({ created: [table?.name], names: ['Zoë'] })
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toHaveLength(2)
    appendFileSync(file, (lines.at(-1) ?? '').slice(0, -10))
    expect(await reopen()).toEqual({ created: [], names: ['Zoë'] })
    expect(await reopen(put('Milo'))).toEqual({ created: [], names: ['Milo'] })
    expect(await reopen()).toEqual({ created: [], names: ['Milo'] })
  })

  test('forgets a table whose creation was cut off, so that the next start creates it', async () => {
    const [first = ''] = readFileSync(file, 'utf8').split('\n')
    expect(first).toContain('"CREATING"')
    writeFileSync(file, `${first}\n`)
    expect(await reopen(put('Luna'))).toEqual({ created: [table?.name], names: ['Luna'] })
  })

  test('is no file of something else', async () => {
    writeFileSync(file, 'years of work\n')
    await expect(startDynalite(file)).rejects.toThrow(/^The database cannot be opened \(.*--fresh\.$/)
  })
})
