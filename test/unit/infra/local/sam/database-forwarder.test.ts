import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../../../infra/local/database/database.ts'
import { startDynalite } from '../../../../../infra/local/database/dynalite.ts'
import { type DatabaseForwarder, forwardDatabase } from '../../../../../infra/local/sam/database-forwarder.ts'
import { listTables, noTables } from '../database-request.ts'

let database: Database
beforeAll(async () => {
  database = await startDynalite()
})
afterAll(() => database.close())

// Only Linux has all addresses that begin with 127.
describe.runIf(process.platform === 'linux')('the database, forwarded to the network 127.1.0.0/16', () => {
  const container = '127.1.0.2'
  const gateway = '127.1.0.1'
  let forwarder: DatabaseForwarder
  beforeAll(async () => {
    forwarder = await forwardDatabase(database.endpoint, { subnet: '127.1.0.0/16', gateway })
  })
  afterAll(() => forwarder.close())

  test('responds to a container of that network', async () => {
    expect(forwarder.endpoint).toMatch(/^http:\/\/127\.1\.0\.1:\d+$/)
    expect(await listTables(forwarder.endpoint, { localAddress: container })).toMatchObject(noTables)
  })

  test.each([
    ['this machine', gateway],
    ['another network', '127.2.0.2'],
  ])('closes a connection from %s', async (_what, localAddress) => {
    await expect(listTables(forwarder.endpoint, { localAddress })).rejects.toThrow(/ECONNRESET|socket hang up/)
  })

  test('is not on other addresses of this machine', async () => {
    const { port } = new URL(forwarder.endpoint)
    await expect(listTables(`http://127.0.0.1:${port}`, { localAddress: container })).rejects.toThrow('ECONNREFUSED')
  })

  test.each([
    ['of a web page', { Origin: 'null' }],
    ['for a host name that a page makes resolve to it', { Host: 'page.example' }],
  ])('refuses a request %s', async (_what, headers) => {
    expect((await listTables(forwarder.endpoint, { localAddress: container, headers })).status).toBe(403)
  })
})

test('where the engine runs in a virtual machine, the forwarder is host.docker.internal, on 127.0.0.1 only', async () => {
  // An address for documentation, which no machine has.
  const forwarder = await forwardDatabase(database.endpoint, { subnet: '203.0.113.0/24', gateway: '203.0.113.1' })
  const { host, hostname, port } = new URL(forwarder.endpoint)
  expect(hostname).toBe('host.docker.internal')
  const from = { localAddress: '127.0.0.1', headers: { Host: host } }
  expect(await listTables(`http://127.0.0.1:${port}`, from)).toMatchObject(noTables)
  await forwarder.close()
  await expect(listTables(`http://127.0.0.1:${port}`, from)).rejects.toThrow('ECONNREFUSED')
})
