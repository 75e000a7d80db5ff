import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localStage } from '../../../../../infra/environments.ts'
import { createTables } from '../../../../../infra/local/database/create-tables.ts'
import { type Database, engines } from '../../../../../infra/local/database/database.ts'
import { startDatabase } from '../../../../../infra/local/database/start-database.ts'
import { namesIn, readEnvironmentTemplate } from '../../../../../infra/local/template/environment-template.ts'
import { createEdgeKeys, edgeKeysTable } from '../../../../../infra/operations/target/edge-keys.ts'
import { connect } from '../../../../../infra/operations/target/local-database.ts'
import { sharedAssembly } from '../../../../fixtures/assembly.ts'
import { listTables } from '../database-request.ts'
import { hasJava } from '../java.ts'

const template = readEnvironmentTemplate(sharedAssembly, localStage)
const { pets: TableName } = namesIn(template).tables

// One suite for both engines: what is not listed as a difference behaves alike.
describe.each(engines.filter((engine) => engine === 'dynalite' || hasJava))('%s', (engine) => {
  let database: Database
  let client: DynamoDBClient
  beforeAll(async () => {
    database = await startDatabase(engine, undefined)
    client = connect(database.endpoint)
    await createTables(client, database, [...template.tables, edgeKeysTable])
    await client.send(new PutItemCommand({ TableName, Item: item }))
  })
  afterAll(async () => {
    client.destroy()
    await database.close()
  })

  const item = { id: { N: '7' }, status: { S: 'sold' }, name: { S: 'Bella' }, big: { N: '9223372036854775807' } }
  const condition = {
    TableName,
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

  test.each([
    ['PutItem', () => client.send(new PutItemCommand({ ...condition, Item: Key }))],
    ['UpdateItem', () => client.send(new UpdateItemCommand({ ...condition, ...update, Key }))],
    ['DeleteItem', () => client.send(new DeleteItemCommand({ ...condition, Key }))],
  ])('%s gives the existing item when its condition fails', async (_name, send) => {
    expect((await failureOf(send())).Item).toEqual(item)
  })

  test.each([
    ['where it is not asked for', undefined],
    ['where NONE is asked for', 'NONE'],
  ] as const)('gives no item %s', async (_name, ReturnValuesOnConditionCheckFailure) => {
    const put = new PutItemCommand({ ...condition, ReturnValuesOnConditionCheckFailure, Item: Key })
    expect((await failureOf(client.send(put))).Item).toBeUndefined()
  })

  test('gives no item where there is none', async () => {
    const existing = { ...condition, ConditionExpression: 'attribute_exists(id)', Key: { id: { N: '8' } } }
    expect((await failureOf(client.send(new UpdateItemCommand({ ...existing, ...update })))).Item).toBeUndefined()
  })

  test('refuses an undocumented value of the parameter', async () => {
    // A mistake that the types would not allow.
    const wrong = { ...condition, ReturnValuesOnConditionCheckFailure: 'ALL_NEW' as 'ALL_OLD', Item: Key }
    await expect(client.send(new PutItemCommand(wrong))).rejects.toMatchObject({ name: 'ValidationException' })
  })

  test('creates tables with the keys and indexes of the template', async () => {
    const { Items } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: 'status-index',
        KeyConditionExpression: '#s = :s',
        ExpressionAttributeNames: { '#s': 'status' },
        ExpressionAttributeValues: { ':s': { S: 'sold' } },
      }),
    )
    expect(Items).toEqual([item])
  })

  test('keeps existing tables, and refuses other keys or indexes in the template', async () => {
    await createTables(client, database, template.tables)
    expect((await client.send(new GetItemCommand({ TableName, Key }))).Item).toEqual(item)
    await expect(createTables(client, database, [{ ...edgeKeysTable, name: TableName }])).rejects.toThrow(
      'Start with --fresh.',
    )
  })

  test("writes, reads and removes the gateway's own keys", async () => {
    const edgeKeys = createEdgeKeys(client)
    const key = { value: 'hash', name: 'key_1', usagePlanId: 'plan' }
    await edgeKeys.put(key)
    expect(await edgeKeys.get('hash')).toEqual(key)
    await edgeKeys.put({ ...key, usagePlanId: 'other' })
    expect(await edgeKeys.list()).toEqual([{ ...key, usagePlanId: 'other' }])
    await edgeKeys.remove('hash')
    expect(await edgeKeys.list()).toEqual([])
  })

  test('allows no web page of another origin to send what reads or writes a table, or to read a response', async () => {
    const headers = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' }
    for (const method of ['OPTIONS', 'POST']) {
      const response = await listTables(database.endpoint, { method, headers })
      expect(Object.keys(response.headers).filter((name) => name.endsWith('-allow-origin'))).toEqual([])
    }
  })
})
