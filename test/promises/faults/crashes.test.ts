import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { unharmed } from './fault-proxy.ts'
import { type FaultyService, startFaultyService } from './service.ts'

let service: FaultyService
let apiKey: string
beforeAll(async () => {
  service = await startFaultyService()
  apiKey = (await service.issueKey({ perMinute: 1_000, perDay: 1_000 })).apiKey
})
afterAll(() => service.stop())
afterEach(() => {
  service.proxy.decide = unharmed
})

const create = async (name: string) => {
  const response = await fetch(`${service.baseUrl}/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json', 'Idempotency-Key': name },
    body: JSON.stringify({ name, categoryId: 1 }),
  })
  await response.text()
  return { status: response.status, replayed: response.headers.get('Idempotency-Replayed') }
}

/** Ends the function in the middle of a call to a table: when the call is made, or when it is done, before its response. */
const crashAt = (table: 'idempotency' | 'pets', moment: 'before' | 'after'): void => {
  let isFirst = true
  service.proxy.decide = (call) => {
    if (!isFirst || call.table !== service.names.tables[table]) return {}
    isFirst = false
    const crash = () => service.crash(call.caller)
    if (moment === 'after') return { afterCommit: crash }
    void crash()
    return { fault: 'request lost' }
  }
}

/** Has the time pass in which a crashed function might still be at work. */
const endLocks = async (): Promise<void> => {
  const TableName = service.names.tables.idempotency
  const { Items = [] } = await service.client.send(new ScanCommand({ TableName }))
  for (const { id } of Items) {
    await service.client.send(
      new UpdateCommand({
        TableName,
        Key: { id },
        UpdateExpression: 'SET lockedUntil = :now',
        ExpressionAttributeValues: { ':now': Math.floor(Date.now() / 1_000) },
      }),
    )
  }
}

const stored = async (name: string): Promise<number> => {
  const { Items = [] } = await service.client.send(new ScanCommand({ TableName: service.names.tables.pets }))
  return Items.filter((pet) => pet['name'] === name).length
}

const newestName = async (): Promise<string> => {
  const headers = { Authorization: `Bearer ${apiKey}` }
  const [newest] = JSON.parse(await (await fetch(`${service.baseUrl}/pets?limit=1`, { headers })).text())
  return newest.name
}

it('a create whose put reaches the store after that of a retry adds one pet, and that is the newest', async () => {
  const release = Promise.withResolvers<void>()
  const late = Promise.withResolvers<void>()
  let isFirst = true
  service.proxy.decide = ({ table }) => {
    if (table !== service.names.tables.pets) return {}
    if (!isFirst) return { fault: 'request lost' }
    isFirst = false
    return { beforeCommit: () => release.promise, afterCommit: async () => late.resolve() }
  }
  expect((await create('Late')).status).toBe(503)
  service.proxy.decide = unharmed
  await create('Seen by the poller')
  expect(await create('Late')).toEqual({ status: 201, replayed: null })
  release.resolve()
  await late.promise
  expect(await stored('Late')).toBe(1)
  expect(await newestName()).toBe('Late')
  expect(await create('Late')).toEqual({ status: 201, replayed: 'true' })
})

it.each([
  ['idempotency', 'before', [201, 201]],
  ['idempotency', 'after', [409, 201]],
  ['pets', 'before', [409, 201]],
  ['pets', 'after', [201, 201]],
] as const)(
  'a create whose function crashes at the write to the table %s, %s its commit, is carried out once by who repeats it',
  async (table, moment, expected) => {
    const name = `Crash ${table} ${moment}`
    crashAt(table, moment)
    expect((await create(name)).status).toBe(500)
    const [soon, later] = expected
    expect((await create(name)).status).toBe(soon)
    await endLocks()
    expect((await create(name)).status).toBe(later)
    expect(await create(name)).toEqual({ status: 201, replayed: 'true' })
    expect(await stored(name)).toBe(1)
  },
)
