import { createRequire } from 'node:module'
import { join } from 'node:path'
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { createTables } from '../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../infra/local/database/dynalite.ts'
import { edgeKeysTable } from '../../../infra/operations/target/edge-keys.ts'
import { connect } from '../../../infra/operations/target/local-database.ts'
import { temporaryFolder } from '../../unit/infra/local/fixtures.ts'

const folder = join(temporaryFolder(), 'dynamodb')
const TableName = edgeKeysTable.name

/** LevelDB, as dynalite has it; it has no types here. */
interface Level {
  open(): Promise<void>
  close(): Promise<void>
  get(key: string): Promise<string>
  put(key: string, value: string): Promise<void>
}

/** Puts a table back to where `kill -9` leaves it in the middle of its creation. */
const leaveUnfinished = async (table: string): Promise<void> => {
  const require = createRequire(import.meta.url)
  const { Level } = createRequire(require.resolve('dynalite'))('level')
  const level: Level = new Level(folder)
  await level.open()
  const description: object = JSON.parse(await level.get(`table~${table}`))
  await level.put(`table~${table}`, JSON.stringify({ ...description, TableStatus: 'CREATING' }))
  await level.close()
}

test('A table whose creation was cut off is created by the next start, and takes items', async () => {
  const first = await startDynalite(folder)
  await createTables(connect(first.endpoint), first, [edgeKeysTable])
  await first.close()
  await leaveUnfinished(TableName)

  const second = await startDynalite(folder)
  const client = connect(second.endpoint)
  await createTables(client, second, [edgeKeysTable])
  const Item = { value: { S: 'a' } }
  await client.send(new PutItemCommand({ TableName, Item }))
  expect((await client.send(new GetItemCommand({ TableName, Key: Item }))).Item).toEqual(Item)
  await second.close()
})
