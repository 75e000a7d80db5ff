import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { openDynalite } from '../../../../fixtures/database/open-dynalite.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

let file: string
beforeEach(() => {
  file = join(createTemporaryFolder(), 'dynamodb.sqlite')
})

/** Writes the file of an earlier start without tables, and executes further statements. */
const writeFile = (statements: string): void => {
  const sqlite = new DatabaseSync(file)
  sqlite.exec(`
    CREATE TABLE entries (place TEXT, key TEXT, value TEXT, PRIMARY KEY (place, key)) WITHOUT ROWID;
    ${statements}
  `)
  sqlite.close()
}

/** Reads the table by its index. */
const scanIndex = { TableName: 'pets', IndexName: 'status-index' }

test('A call that fails in its middle leaves no part of itself in the file', async () => {
  // dynalite writes the entry of an index before its item.
  writeFile(`
    CREATE TRIGGER refuse_items BEFORE INSERT ON entries
    WHEN NEW.place LIKE 'item%'
    BEGIN SELECT RAISE(ABORT, 'refused'); END
  `)
  const perform = await openDynalite(file)
  const item = { id: { N: '7' }, status: { S: 'sold' }, name: { S: 'Zoë' } }

  await expect(perform('PutItem', { TableName: 'pets', Item: item })).rejects.toMatchObject({
    statusCode: 500,
    message: expect.stringMatching(/dynamodb\.sqlite cannot be written \(Error: refused\)\. Is its disk full\?$/),
  })

  expect(await perform('Scan', scanIndex)).toMatchObject({ Items: [] })
})

test('A table whose creation was interrupted can be created at the next start', async () => {
  writeFile(`INSERT INTO entries VALUES ('table', 'pets', '{"TableName":"pets","TableStatus":"CREATING"}')`)

  const perform = await openDynalite(file)

  expect(await perform('Scan', scanIndex)).toMatchObject({ Items: [] })
})
