import { describe, expect, it } from 'vitest'
import { sized } from '../../fixtures/size.ts'
import { type Call, type Fault, faults, onFirst, unharmed } from './fault-proxy.ts'
import { faultyService, isTimedOut, type SentRequest } from './service.ts'

const service = faultyService()
const send = (request: SentRequest) => service().send(request)

/** Of the two that a call waits for until its time-out, `npm test` takes one for the operations and one for the authorizer. */
const faultsOf = (who: 'operations' | 'authorizer'): readonly Fault[] =>
  faults.filter((fault) => fault !== sized({ operations: 'stalled response', authorizer: 'no response' }[who], ''))

const isOfOperation = ({ table }: Call): boolean => table !== service().names.tables.apiKeys

/** Has a fault happen to each call of the operations, or of the authorizer, and records what is called from now on. */
const failing = (fault: Fault, who: 'operations' | 'authorizer'): void => {
  const { proxy, invocations } = service()
  proxy.calls.length = 0
  invocations.length = 0
  proxy.decide = (call) => (isOfOperation(call) === (who === 'operations') ? { fault } : {})
}

const list = async (apiKey = service().key.apiKey) => {
  const { status, headers, text } = await send({ path: '/pets?limit=1', apiKey })
  return { status, retryAfter: headers.get('Retry-After'), text }
}

const unavailable = { status: 503, retryAfter: '1' }

/** Held back for a second: to its end, rounded up. */
const throttled = { status: 429, retryAfter: expect.stringMatching(/^[23]$/) }

const requests: readonly SentRequest[] = [
  { path: '/pets' },
  { path: '/pets/1' },
  { path: '/pets', body: { name: 'Bella', categoryId: 1 } },
  { path: '/pets', body: { name: 'Milo', categoryId: 1 }, idempotencyKey: 'a key' },
]

const ranFunctions = () => service().invocations.map(({ operation }) => operation)

/** Whether every function ended by itself. One that is about to run into its timeout gives up and says so, just before. */
const endedInTime = (): boolean =>
  !service().invocations.some(isTimedOut) &&
  !service().reports.some((line) => line.includes('before the timeout of the function'))

describe('An operation whose tables are unavailable', () => {
  it.each(faultsOf('operations'))('responds 503 with Retry-After and the error body, in time: %s', async (fault) => {
    failing(fault, 'operations')
    const responses = await Promise.all(requests.map(send))
    for (const { status, headers, text } of responses) {
      expect({ status, retryAfter: headers.get('Retry-After'), ...JSON.parse(text) }).toMatchObject({
        status: 503,
        retryAfter: '1',
        code: 'service_unavailable',
      })
      expect(headers.has('X-RateLimit-Remaining')).toBe(true)
    }
    expect(endedInTime()).toBe(true)
  })

  it('calls them three times, and ends in time', async () => {
    failing('throttled', 'operations')
    await send({ path: '/pets/1' })
    expect(
      service()
        .proxy.calls.filter(isOfOperation)
        .map(({ operation }) => operation),
    ).toEqual(Array(3).fill('GetItem'))
    expect(endedInTime()).toBe(true)
  })

  it('responds as before when they are available again', async () => {
    failing('request lost', 'operations')
    expect((await send({ path: '/pets' })).status).toBe(503)
    service().proxy.decide = unharmed
    expect((await send({ path: '/pets' })).status).toBe(200)
  })
})

describe('A call of an operation that fails once', () => {
  it.each(faultsOf('operations'))('is retried, and no caller notices: %s', async (fault) => {
    service().proxy.decide = onFirst(isOfOperation, () => ({ fault }))
    const name = `Bella, ${fault}`
    const { status, text } = await send({ path: '/pets', body: { name, categoryId: 1, status: 'sold' } })
    expect(status, text).toBe(201)
    const sold = await send({ path: '/pets?status=sold&limit=100' })
    expect(JSON.parse(sold.text).filter((pet: { name: string }) => pet.name === name)).toHaveLength(1)
  })
})

describe('The authorizer whose table is unavailable', () => {
  it.each(faultsOf('authorizer').slice(1))('admits no request, and ends in time: %s', async (fault) => {
    failing(fault, 'authorizer')
    const { text, ...seen } = await list()
    expect(seen).toEqual(unavailable)
    expect(JSON.parse(text)).toMatchObject({ code: 'service_unavailable', status: 503 })
    expect(ranFunctions()).toEqual(['authorizer'])
    expect(endedInTime()).toBe(true)
  })

  it('admits no request while nothing listens, and accepts requests when it is available again', async () => {
    await service().proxy.close()
    service().invocations.length = 0
    expect(await list()).toMatchObject(unavailable)
    expect(ranFunctions()).toEqual(['authorizer'])
    await service().proxy.open()
    expect((await list()).status).toBe(200)
  })

  it('responds 429 for a key whose item is throttled', async () => {
    service().proxy.decide = ({ operation }) => (operation === 'UpdateItem' ? { fault: 'throttled' } : {})
    expect(await list()).toMatchObject(throttled)
  })

  it('responds 503 for a key whose item can be neither written nor read', async () => {
    failing('throttled', 'authorizer')
    expect(await list()).toMatchObject(unavailable)
  })
})

describe('A request whose count gets no response', () => {
  it.each(faultsOf('authorizer').slice(3))('is admitted, and counted once: %s', async (fault) => {
    const { proxy, issueKey, keys } = service()
    const { apiKey, record } = await issueKey({ perMinute: 10, perDay: 10 })
    const requests = sized(1, 3)
    for (let request = 1; request <= requests; request += 1) {
      proxy.decide = onFirst(
        () => true,
        () => ({ fault }),
      )
      expect((await list(apiKey)).status).toBe(200)
    }
    expect((await keys.show(record.keyId)).dayCount).toBe(requests)
  })
})
