import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, inject, test } from 'vitest'
import { createTables } from '../../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../../infra/local/database/dynalite.ts'
import { connectToLocalDatabase } from '../../../../infra/operations/environment/local-database.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

// What the service rests on of DynamoDB is tested where it does so, in test/unit/shared, on both engines.

test.each([
  ['responds to a program', {}, 200],
  ['refuses a web page', { Origin: 'http://127.0.0.1:3000' }, 403],
  ['refuses a web page whose host name resolves to this machine', { Host: '127.0.0.1.page.example' }, 403],
  ['refuses an operation that it does not have', { 'X-Amz-Target': 'DynamoDB_20120810.TransactGetItems' }, 400],
  ['refuses a check in a transaction', { 'X-Amz-Target': 'DynamoDB_20120810.TransactWriteItems' }, 400],
])('dynalite %s', async (_whom, headers, status) => {
  const target = { 'X-Amz-Target': 'DynamoDB_20120810.ListTables' }
  const [engine] = inject('engines')
  const sent = request(engine?.endpoint ?? '', { method: 'POST', headers: { ...target, ...headers } })
  sent.end('{"TransactItems":[{"ConditionCheck":{}}]}')
  const [response]: IncomingMessage[] = await once(sent, 'response')
  expect(response?.resume().statusCode).toBe(status)
})

describe('The file of dynalite', () => {
  const folder = createTemporaryFolder()
  const file = join(folder, 'dynamodb.sqlite')
  const byIndex = Object.groupBy(inject('tables'), (table) => table.GlobalSecondaryIndexes?.[0]?.IndexName ?? 'none')
  const { 'status-index': tables = [], none: others = [] } = byIndex
  const names = { TableName: tables[0]?.name, IndexName: 'status-index' }

  /** Starts it, adds an item of this name, and ends. @returns the names of all items that an index has */
  const run = async (name?: string, { fresh = false, shape = tables } = {}) => {
    await using resources = new AsyncDisposableStack()
    const database = await startDynalite({ folder, fresh })
    resources.defer(database.close)
    const client = connectToLocalDatabase(database.endpoint)
    await createTables(client, shape)
    const Item = { id: { N: '7' }, status: { S: 'sold' }, name: { S: name ?? '' } }
    if (name !== undefined) await client.send(new PutItemCommand({ TableName: names.TableName, Item }))
    const { Items = [] } = await client.send(new ScanCommand(names))
    return Items.map((item) => item['name']?.S)
  }

  const execute = (statement: string): void => {
    const sqlite = new DatabaseSync(file)
    sqlite.exec(statement)
    sqlite.close()
  }

  test('has the items of a start at the next one, and none at a fresh one', async () => {
    expect(await run('Zoë')).toEqual(['Zoë'])
    expect(await run()).toEqual(['Zoë'])
    expect(await run(undefined, { fresh: true })).toEqual([])
  })

  test('has nothing of an operation that fails in its middle', async () => {
    await run()
    // An index entry is written before its item.
    execute(`CREATE TRIGGER f BEFORE INSERT ON entries WHEN NEW.place LIKE 'item%' BEGIN SELECT RAISE(ABORT, '!'); END`)
    await expect(run('Max')).rejects.toThrow(/dynamodb\.sqlite cannot be written \(Error: !\)\. Is its disk full\?$/)
    expect(await run()).toEqual([])
    expect(await run(undefined, { fresh: true })).toEqual([])
  })

  test('forgets a table whose creation was cut off, so that the next start creates it', async () => {
    await run('Milo')
    execute(`UPDATE entries SET value = replace(value, '"ACTIVE"', '"CREATING"') WHERE place = 'table'`)
    expect(await run('Luna')).toEqual(['Luna'])
  })

  test('keeps its tables, and is refused where the template has others of the same name', async () => {
    const shape = others.slice(0, 1).map((table) => ({ ...table, name: names.TableName ?? '' }))
    await expect(run('Rex', { shape })).rejects.toThrow('Start with --fresh.')
    expect(await run()).toEqual(['Luna'])
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
    expect(await run(undefined, { fresh: true })).toEqual([])
  })
})
