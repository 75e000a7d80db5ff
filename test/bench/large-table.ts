import { createRequire } from 'node:module'
import { marshall } from '@aws-sdk/util-dynamodb'
import { createTables } from '../../infra/local/database/create-tables.ts'
import type { Database } from '../../infra/local/database/database.ts'
import { startDynalite } from '../../infra/local/database/dynalite.ts'
import type { Table } from '../../infra/local/template/tables.ts'
import { seedAttemptId, seededPet } from '../../infra/operations/seed/seeded-pet.ts'
import { connect } from '../../infra/operations/target/local-database.ts'

/** So many entries, a table's and its index's, are written at once. */
const petsInBatch = 5_000

/**
 * Starts dynalite on a folder with a table of so many seeded pets. They are written into its files, with the keys
 * that it would give them: nobody would wait for a million that go through its interface.
 */
export const openLargeTable = async (
  folder: string,
  table: Table,
  pets: number,
  onWritten: (pets: number) => void,
): Promise<Database> => {
  const empty = await startDynalite(folder)
  await createTables(connect(empty.endpoint), empty, [table])
  await empty.close()
  await writeFiles(folder, table.name, pets, onWritten)
  return startDynalite(folder)
}

const require = createRequire(import.meta.url)
const fromDynalite = createRequire(require.resolve('dynalite'))

const writeFiles = async (
  folder: string,
  tableName: string,
  pets: number,
  onWritten: (pets: number) => void,
): Promise<void> => {
  const { Level }: { Level: LevelConstructor } = fromDynalite('level')
  const { createKey, getIndexActions }: DynaliteKeys = require('dynalite/db')
  const level = new Level(folder, { valueEncoding: 'json' })
  // What dynalite keeps of a table is what DescribeTable returns.
  const described = (await level.get(`table~${tableName}`)) as DescribedTable
  const entries = (index: number): Entry[] => {
    const item = marshall({ ...seededPet(index), attemptId: seedAttemptId })
    const { puts } = getIndexActions(described.GlobalSecondaryIndexes, undefined, item, described)
    return [
      { type: 'put', key: `item-${tableName}~${createKey(item, described)}`, value: item },
      ...puts.map(({ index: name, key, item: value }): Entry => {
        return { type: 'put', key: `index-global~${tableName}~${name}~${key}`, value }
      }),
    ]
  }
  for (let first = 0; first < pets; first += petsInBatch) {
    const indexes = Array.from({ length: Math.min(petsInBatch, pets - first) }, (_, offset) => first + offset)
    await level.batch(indexes.flatMap(entries))
    onWritten(first + indexes.length)
  }
  // Else it would go on while the table is measured.
  await level.compactRange('', '\uffff')
  await level.close()
}

/** The parts of dynalite and of its store that are used here; they have no types. */
type LevelConstructor = new (folder: string, options: { valueEncoding: 'json' }) => Level

interface Level {
  get(key: string): Promise<unknown>
  batch(entries: readonly Entry[]): Promise<void>
  compactRange(start: string, end: string): Promise<void>
  close(): Promise<void>
}

interface Entry {
  readonly type: 'put'
  readonly key: string
  readonly value: object
}

interface DescribedTable {
  readonly GlobalSecondaryIndexes: readonly object[]
}

interface DynaliteKeys {
  readonly createKey: (item: object, table: DescribedTable) => string
  readonly getIndexActions: (
    indexes: readonly object[],
    existing: undefined,
    item: object,
    table: DescribedTable,
  ) => { readonly puts: readonly { readonly index: string; readonly key: string; readonly item: object }[] }
}
