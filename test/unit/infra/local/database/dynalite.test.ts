import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTables } from '../../../../../infra/local/database/create-tables.ts'
import type { Database } from '../../../../../infra/local/database/database.ts'
import { startDatabase } from '../../../../../infra/local/database/start-database.ts'
import { createEdgeKeys, edgeKeysTable } from '../../../../../infra/operations/target/edge-keys.ts'
import { connect as connectClient } from '../../../../../infra/operations/target/local-database.ts'
import { listTables, noTables } from '../database-request.ts'
import { temporaryFolder } from '../fixtures.ts'

const folder = join(temporaryFolder(), 'data')

describe('dynalite', () => {
  let database: Database
  beforeAll(async () => {
    database = await startDatabase('dynalite', undefined)
  })
  afterAll(() => database.close())

  test.each([
    ['of another origin', { Origin: 'https://page.example' }],
    ['of a file or a sandboxed frame', { Origin: 'null' }],
    ['of a page on this machine', { Origin: 'http://127.0.0.1:3000' }],
    ['for a host name that a page makes resolve to this machine', { Host: 'page.example:8000' }],
    ['for a host name that begins like this machine', { Host: '127.0.0.1.page.example' }],
  ])('refuses a request %s', async (_whose, headers) => {
    const { status, body } = await listTables(database.endpoint, { headers })
    expect([status, JSON.parse(body)]).toMatchObject([403, { __type: 'AccessDeniedException' }])
  })

  test.each(['127.0.0.1', 'localhost:8000', 'LOCALHOST', '[::1]:8000'])('accepts a request for %s', async (Host) => {
    expect(await listTables(database.endpoint, { headers: { Host } })).toMatchObject(noTables)
  })

  test('continues when a caller closes its connection in the middle of a request', async () => {
    const socket = connect(Number(new URL(database.endpoint).port), '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf')
    await setTimeout(50)
    socket.resetAndDestroy()
    await setTimeout(50)
    expect(await listTables(database.endpoint)).toMatchObject(noTables)
  })
})

test('dynalite keeps its tables in its folder, and does not open a folder that another has open', async () => {
  const first = await startDatabase('dynalite', folder)
  const client = connectClient(first.endpoint)
  await createTables(client, first, [edgeKeysTable])
  await createEdgeKeys(client).put({ value: 'hash', name: 'key_1', usagePlanId: 'plan' })
  await expect(startDatabase('dynalite', folder)).rejects.toThrow('The database could not be opened')
  client.destroy()
  await first.close()

  const second = await startDatabase('dynalite', folder)
  const again = connectClient(second.endpoint)
  expect(await createEdgeKeys(again).get('hash')).toMatchObject({ name: 'key_1' })
  again.destroy()
  await second.close()
})
