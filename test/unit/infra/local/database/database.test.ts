import { join } from 'node:path'
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTables } from '../../../../../infra/local/database/create-tables.ts'
import { type Database, engines } from '../../../../../infra/local/database/database.ts'
import { startDatabase } from '../../../../../infra/local/database/start-database.ts'
import type { Table } from '../../../../../infra/local/template/tables.ts'
import { createEdgeKeys, edgeKeysTable } from '../../../../../infra/operations/target/edge-keys.ts'
import { connect } from '../../../../../infra/operations/target/local-database.ts'
import { temporaryFolder } from '../fixtures.ts'
import { hasJava } from '../java.ts'

const pets: Table = {
  name: 'pets',
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  AttributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'N' },
    { AttributeName: 'status', AttributeType: 'S' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'status-index',
      KeySchema: [
        { AttributeName: 'status', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['name'] },
    },
  ],
  timeToLive: 'expiresAt',
}

// One suite for both engines: what is not listed as a difference behaves alike.
describe.each(engines)('%s', (engine) => {
  const isMissing = engine === 'dynamodb-local' && !hasJava
  let database: Database
  let client: DynamoDBClient
  beforeAll(async () => {
    if (isMissing) return
    database = await startDatabase(engine, undefined)
    client = connect(database.endpoint)
    await createTables(client, database, [pets, edgeKeysTable])
    await client.send(new PutItemCommand({ TableName: 'pets', Item: item }))
  })
  afterAll(async () => {
    if (isMissing) return
    client.destroy()
    await database.close()
  })

  const item = { id: { N: '7' }, status: { S: 'sold' }, name: { S: 'Bella' }, big: { N: '9223372036854775807' } }
  const condition = {
    TableName: 'pets',
    ConditionExpression: 'attribute_not_exists(id)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const
  const Key = { id: { N: '7' } }
  const update = { UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': { N: '1' } } }

  const failureOf = async (sent: Promise<unknown>): Promise<ConditionalCheckFailedException> => {
    const error = await sent.catch((caught: unknown) => caught)
    if (!(error instanceof ConditionalCheckFailedException)) throw new Error('The condition was met.')
    return error
  }

  test.skipIf(isMissing).each([
    ['PutItem', () => client.send(new PutItemCommand({ ...condition, Item: Key }))],
    ['UpdateItem', () => client.send(new UpdateItemCommand({ ...condition, ...update, Key }))],
    ['DeleteItem', () => client.send(new DeleteItemCommand({ ...condition, Key }))],
  ])('%s gives the existing item when its condition fails', async (_name, send) => {
    expect((await failureOf(send())).Item).toEqual(item)
  })

  test.skipIf(isMissing)('The existing item is given only on request', async () => {
    const { ReturnValuesOnConditionCheckFailure: _asked, ...unasked } = condition
    expect((await failureOf(client.send(new PutItemCommand({ ...unasked, Item: Key })))).Item).toBeUndefined()
    const none = { ...condition, ReturnValuesOnConditionCheckFailure: 'NONE' } as const
    expect((await failureOf(client.send(new PutItemCommand({ ...none, Item: Key })))).Item).toBeUndefined()
  })

  test.skipIf(isMissing)('Where there is no item, none is given', async () => {
    const existing = { ...condition, ConditionExpression: 'attribute_exists(id)', Key: { id: { N: '8' } } }
    expect((await failureOf(client.send(new UpdateItemCommand({ ...existing, ...update })))).Item).toBeUndefined()
  })

  test.skipIf(isMissing)('An undocumented value is a ValidationException', async () => {
    // A mistake that the types would not allow.
    const wrong = { ...condition, ReturnValuesOnConditionCheckFailure: 'ALL_NEW' as 'ALL_OLD', Item: Key }
    await expect(client.send(new PutItemCommand(wrong))).rejects.toMatchObject({ name: 'ValidationException' })
  })

  test.skipIf(isMissing)('The tables have the keys and indexes of the template', async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'pets' }))
    expect(Table?.KeySchema).toEqual([{ AttributeName: 'id', KeyType: 'HASH' }])
    const { Items } = await client.send(
      new QueryCommand({
        TableName: 'pets',
        IndexName: 'status-index',
        KeyConditionExpression: '#s = :s',
        ExpressionAttributeNames: { '#s': 'status' },
        ExpressionAttributeValues: { ':s': { S: 'sold' } },
      }),
    )
    expect(Items).toEqual([{ id: item.id, status: item.status, name: item.name }])
  })

  test.skipIf(isMissing)('Existing tables stay; other keys or indexes in the template are an error', async () => {
    await createTables(client, database, [pets])
    expect((await client.send(new GetItemCommand({ TableName: 'pets', Key }))).Item).toEqual(item)
    await expect(createTables(client, database, [{ ...pets, GlobalSecondaryIndexes: [] }])).rejects.toThrow(
      'Start with --fresh.',
    )
  })

  test.skipIf(isMissing)("The gateway's own keys are written, read and removed", async () => {
    const edgeKeys = createEdgeKeys(client)
    const key = { value: 'hash', name: 'key_1', usagePlanId: 'plan' }
    await edgeKeys.put(key)
    expect(await edgeKeys.get('hash')).toEqual(key)
    await edgeKeys.put({ ...key, usagePlanId: 'other' })
    expect(await edgeKeys.get('hash')).toEqual({ ...key, usagePlanId: 'other' })
    expect(await edgeKeys.list()).toEqual([{ ...key, usagePlanId: 'other' }])
    await edgeKeys.remove('hash')
    expect(await edgeKeys.get('hash')).toBeUndefined()
    expect(await edgeKeys.list()).toEqual([])
  })
})

test('dynalite keeps its tables in its folder, and does not open a folder that another has open', async () => {
  const folder = join(temporaryFolder(), 'data')
  const first = await startDatabase('dynalite', folder)
  const client = connect(first.endpoint)
  await createTables(client, first, [edgeKeysTable])
  await createEdgeKeys(client).put({ value: 'hash', name: 'key_1', usagePlanId: 'plan' })
  await expect(startDatabase('dynalite', folder)).rejects.toThrow('The database could not be opened')
  client.destroy()
  await first.close()

  const second = await startDatabase('dynalite', folder)
  const again = connect(second.endpoint)
  expect(await createEdgeKeys(again).get('hash')).toMatchObject({ name: 'key_1' })
  again.destroy()
  await second.close()
})

test('dynalite goes on when a caller closes its connection in the middle of a request', async () => {
  const database = await startDatabase('dynalite', undefined)
  const { Socket } = await import('node:net')
  const socket = new Socket().connect(Number(new URL(database.endpoint).port), '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf')
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.resetAndDestroy()
  await new Promise((resolve) => setTimeout(resolve, 50))
  const client = connect(database.endpoint)
  await createTables(client, database, [edgeKeysTable])
  client.destroy()
  await database.close()
})
