import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connectToLocalDatabase } from '../../../../../infra/commands/environment/local-database.ts'
import { createTables } from '../../../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../../../infra/local/database/dynalite.ts'
import { getDynalite } from '../../../../fixtures/database/engines.ts'
import { readProvided } from '../../../../fixtures/machine/provided.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

// The behaviours of DynamoDB that the service needs are tested on both engines in test/unit/shared.

const { endpoint } = getDynalite()

describe('the server of dynalite', () => {
  /** Sends a request to dynalite, and returns the status of its response. */
  const readStatus = async (headers: Readonly<Record<string, string>>, body = '{}'): Promise<number | undefined> => {
    const target = { 'X-Amz-Target': 'DynamoDB_20120810.ListTables' }
    const sent = request(endpoint, { method: 'POST', headers: { ...target, ...headers } })
    sent.end(body)
    const [response]: IncomingMessage[] = await once(sent, 'response')
    response?.resume()
    return response?.statusCode
  }

  test.each([
    { page: 'a web page', headers: { Origin: 'http://127.0.0.1:3000' } },
    { page: 'a web page whose host name resolves to this machine', headers: { Host: '127.0.0.1.page.example' } },
  ])('dynalite refuses $page', async ({ headers }) => {
    expect(await readStatus(headers)).toBe(403)
  })

  test('dynalite refuses a body that is not JSON with 400, which no SDK repeats', async () => {
    expect(await readStatus({}, '{')).toBe(400)
  })
})

const item = { id: { N: '7' }, status: { S: 'sold' }, name: { S: 'Zoë' } }

describe('the file of dynalite', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = createTemporaryFolder()
    file = join(folder, 'dynamodb.sqlite')
  })

  /** Starts dynalite on the folder, acts on its tables, and closes it. */
  const withDatabase = async <Result>(
    act: (client: ReturnType<typeof connectToLocalDatabase>, name: string) => Promise<Result>,
    options: { readonly fresh?: boolean } = {},
  ): Promise<Result> => {
    await using resources = new AsyncDisposableStack()
    const database = await startDynalite({ folder, ...options })
    resources.defer(database.close)
    const client = connectToLocalDatabase(database.endpoint)
    resources.defer(() => client.destroy())
    await createTables(client, readProvided('tables'))
    return await act(client, readProvided('tableNames').pets)
  }

  const readItem = async (client: ReturnType<typeof connectToLocalDatabase>, name: string) => {
    const { Item } = await client.send(new GetItemCommand({ TableName: name, Key: { id: { N: '7' } } }))
    return Item
  }

  test('the file of dynalite is used by one start at a time, and keeps its items until a fresh start', async () => {
    await withDatabase(async (client, name) => {
      await client.send(new PutItemCommand({ TableName: name, Item: item }))

      const message =
        'Another process uses the database of the data folder. ' +
        'Wait until it has ended, or choose another folder with --data.'
      await expect(startDynalite({ folder })).rejects.toThrow(message)
      await expect(startDynalite({ folder, fresh: true })).rejects.toThrow(message)
    })

    // Without a write-ahead log, a kill in the middle of a write could damage the file. The mode stays in the file.
    const sqlite = new DatabaseSync(file)
    expect(sqlite.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    sqlite.close()
    expect(await withDatabase(readItem)).toEqual(item)
    expect(await withDatabase(readItem, { fresh: true })).toBeUndefined()
  })

  test('a file that is no database is an error and stays as it is, until a fresh start replaces it', async () => {
    writeFileSync(file, 'years of work\n')

    await expect(startDynalite({ folder })).rejects.toThrow(/^The database cannot be opened \(.*--fresh\.$/)
    expect(readFileSync(file, 'utf8')).toBe('years of work\n')

    expect(await withDatabase(readItem, { fresh: true })).toBeUndefined()
  })
})

test('a table of a template that has other keys or indexes than the existing one is an error', async () => {
  const client = connectToLocalDatabase(endpoint)
  onTestFinished(() => client.destroy())
  // Two tables of the template under one name. Their keys differ.
  const name = randomUUID()
  const [table, otherTable] = readProvided('tables').map((definition) => ({ ...definition, name }))
  if (table === undefined || otherTable === undefined) throw new Error('The template has no two tables.')
  await createTables(client, [table])

  await expect(createTables(client, [otherTable])).rejects.toThrow('Start with --fresh.')
})
