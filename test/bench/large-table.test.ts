import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../infra/local/database/database.ts'
import type { Table } from '../../infra/local/template/tables.ts'
import { seededPet } from '../../infra/operations/seed/seeded-pet.ts'
import { connect } from '../../infra/operations/target/local-database.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { petsTable } from '../../shared/pets/pets-table.ts'
import { openLargeTable } from './large-table.ts'

const { name, partitionKey, sortKey } = petsTable.statusIndex
const table: Table = {
  name: 'pets',
  KeySchema: [{ AttributeName: petsTable.partitionKey, KeyType: 'HASH' }],
  AttributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'N' },
    { AttributeName: 'status', AttributeType: 'S' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: name,
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  timeToLive: undefined,
}

const amount = 200
let folder: string
let database: Database
const written: number[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-adoption-large-table-'))
  database = await openLargeTable(folder, table, amount, (pets) => written.push(pets))
})

afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

it('A table that is written into the files of the database is read as any other', async () => {
  const client = connect(database.endpoint)
  const store = new PetStore(DynamoDBDocumentClient.from(client), table.name)
  const newestFirst = Array.from({ length: amount }, (_, index) => seededPet(amount - 1 - index))
  const page = await store.page({ limit: 20, status: undefined, before: undefined })
  expect(page).toEqual({ pets: newestFirst.slice(0, 20), hasMore: true })
  const before = newestFirst[150]?.id
  const sold = newestFirst.slice(151).filter(({ status }) => status === 'sold')
  expect((await store.page({ limit: 100, status: 'sold', before })).pets).toEqual(sold)
  expect(await store.find(seededPet(7).id)).toEqual(seededPet(7))
  expect(written).toEqual([amount])
  client.destroy()
})
