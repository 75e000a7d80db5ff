import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { onFirst, unharmed } from './fault-proxy.ts'
import { faultyService } from './service.ts'

const service = faultyService()

const create = async (name: string) => {
  const { status, headers } = await service().send({
    path: '/pets',
    body: { name, categoryId: 1 },
    idempotencyKey: name,
  })
  return { status, replayed: headers.get('Idempotency-Replayed') }
}

/** Ends the function at its first call to a table: before the call's commit, or after it and before its response. */
const crashAt = (table: 'idempotency' | 'pets', moment: 'before' | 'after'): void => {
  const { proxy, names, crash } = service()
  proxy.decide = onFirst(
    (call) => call.table === names.tables[table],
    () => {
      if (moment === 'after') return { afterCommit: crash }
      void crash()
      return { fault: 'request lost' }
    },
  )
}

/** Has the time pass in which a crashed function might still be at work. */
const endLocks = async (): Promise<void> => {
  const { client, names } = service()
  const TableName = names.tables.idempotency
  const { Items = [] } = await client.send(new ScanCommand({ TableName }))
  for (const { id } of Items) {
    await client.send(
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
  const { client, names } = service()
  const { Items = [] } = await client.send(new ScanCommand({ TableName: names.tables.pets }))
  return Items.filter((pet) => pet['name'] === name).length
}

const newestName = async (): Promise<string> =>
  JSON.parse((await service().send({ path: '/pets?limit=1' })).text)[0].name

it('a create whose put reaches DynamoDB after that of a retry adds one pet, which is the newest', async () => {
  const release = Promise.withResolvers<void>()
  const late = Promise.withResolvers<void>()
  const { proxy, names } = service()
  let isFirst = true
  proxy.decide = ({ table }) => {
    if (table !== names.tables.pets) return {}
    if (!isFirst) return { fault: 'request lost' }
    isFirst = false
    return { beforeCommit: () => release.promise, afterCommit: async () => late.resolve() }
  }
  expect((await create('Late')).status).toBe(503)
  proxy.decide = unharmed
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
  'a create whose function crashes at the write to the table %s, %s its commit, adds one pet when it is retried',
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
