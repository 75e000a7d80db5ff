import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkResponse } from '../../fixtures/check-response.ts'
import { type Call, type Fate, type Fault, unharmed } from './fault-proxy.ts'
import { type FaultyService, startFaultyService } from './service.ts'

let service: FaultyService
let apiKey: string
beforeAll(async () => {
  service = await startFaultyService()
  apiKey = (await service.issueKey({ perMinute: 100_000, perDay: 100_000 })).apiKey
})
afterAll(() => service.stop())
afterEach(() => {
  service.proxy.decide = unharmed
})

const everyFault: readonly Fault[] = [
  'throttled',
  'internal error',
  'request lost',
  'response lost',
  'half a response',
  'stalled response',
  'no response',
]

const faultsAfterCommit = everyFault.slice(3)

const isOfOperation = ({ table }: Call): boolean => table !== service.names.tables.apiKeys

/** Has a fault happen to each call of the operations, or of the authorizer, and looks at what is called. */
const failing = (fault: Fault, who: 'operations' | 'authorizer'): void => {
  service.proxy.calls.length = 0
  service.invocations.length = 0
  service.proxy.decide = (call): Fate => (isOfOperation(call) === (who === 'operations') ? { fault } : {})
}

const failingWrites = (fault: Fault): void => {
  service.proxy.decide = ({ operation }): Fate => (operation === 'UpdateItem' ? { fault } : {})
}

interface Sent {
  readonly method?: string
  readonly path: string
  readonly body?: object
  readonly idempotencyKey?: string
  readonly key?: string
}

const send = async ({ method = 'GET', path, body, idempotencyKey, key = apiKey }: Sent) => {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const seen = { status: response.status, headers: response.headers, text: await response.text() }
  expect(checkResponse(method, path.replace(/\?.*/, ''), seen)).toEqual([])
  return seen
}

const list = async (key = apiKey) => {
  const { status, headers, text } = await send({ path: '/pets?limit=1', key })
  return { status, retryAfter: headers.get('Retry-After'), text }
}

const unavailable = { status: 503, retryAfter: '1' }

/** Held back for a second: to its end, rounded up. */
const throttled = { status: 429, retryAfter: expect.stringMatching(/^[12]$/) }

const requests: readonly Sent[] = [
  { path: '/pets' },
  { path: '/pets/1' },
  { method: 'POST', path: '/pets', body: { name: 'Bella', categoryId: 1 } },
  { method: 'POST', path: '/pets', body: { name: 'Milo', categoryId: 1 }, idempotencyKey: 'a key' },
]

/** Whether every function ended by itself. One that is about to run into its timeout gives up and says so, just before. */
const endedInTime = (): boolean =>
  service.invocations.every(({ outcome }) => outcome.kind === 'result' || outcome.errorType !== 'Sandbox.Timedout') &&
  !service.reports.some((line) => line.includes('before the timeout of the function'))

describe('An operation whose store is unavailable', () => {
  it.each(everyFault)('responds 503 with Retry-After and the error body, in time: %s', async (fault) => {
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

  it('calls it three times, and ends in time', async () => {
    failing('throttled', 'operations')
    await send({ path: '/pets/1' })
    expect(service.proxy.calls.filter(isOfOperation).map(({ operation }) => operation)).toEqual(
      Array(3).fill('GetItem'),
    )
    expect(endedInTime()).toBe(true)
  })

  it('responds as before when the store is available again', async () => {
    failing('request lost', 'operations')
    expect((await send({ path: '/pets' })).status).toBe(503)
    service.proxy.decide = unharmed
    expect((await send({ path: '/pets' })).status).toBe(200)
  })
})

describe('A call of an operation that fails once', () => {
  it.each(everyFault)('is retried, and no caller notices: %s', async (fault) => {
    let isFirst = true
    service.proxy.decide = (call) => {
      if (!isOfOperation(call) || !isFirst) return {}
      isFirst = false
      return { fault }
    }
    const name = `Bella, ${fault}`
    const { status, text } = await send({
      method: 'POST',
      path: '/pets',
      body: { name, categoryId: 1, status: 'sold' },
    })
    expect(status, text).toBe(201)
    const sold = await send({ path: '/pets?status=sold&limit=100' })
    expect(JSON.parse(sold.text).filter((pet: { name: string }) => pet.name === name)).toHaveLength(1)
  })
})

describe('The authorizer whose store is unavailable', () => {
  it.each(everyFault.filter((fault) => fault !== 'throttled'))('admits nobody, and ends in time: %s', async (fault) => {
    failing(fault, 'authorizer')
    const { text, ...seen } = await list()
    expect(seen).toEqual(unavailable)
    expect(JSON.parse(text)).toMatchObject({ code: 'service_unavailable', status: 503 })
    expect(service.invocations.map(({ operation }) => operation)).toEqual(['authorizer'])
    expect(endedInTime()).toBe(true)
  })

  it('admits nobody where nothing listens, and everybody again when it is available', async () => {
    await service.proxy.close()
    service.invocations.length = 0
    expect(await list()).toMatchObject(unavailable)
    expect(service.invocations.map(({ operation }) => operation)).toEqual(['authorizer'])
    await service.proxy.open()
    expect((await list()).status).toBe(200)
  })

  it('responds 429 for a key whose item is throttled', async () => {
    failingWrites('throttled')
    expect(await list()).toMatchObject(throttled)
  })

  it('responds 503 for a key whose item can be neither written nor read', async () => {
    failing('throttled', 'authorizer')
    expect(await list()).toMatchObject(unavailable)
  })
})

describe('A request whose counting gets no response', () => {
  it.each(faultsAfterCommit)('is admitted, and counted once: %s', async (fault) => {
    const { apiKey: fresh, record } = await service.issueKey({ perMinute: 10, perDay: 10 })
    for (let request = 1; request <= 3; request += 1) {
      let isFirst = true
      service.proxy.decide = () => {
        const fate: Fate = isFirst ? { fault } : {}
        isFirst = false
        return fate
      }
      expect((await list(fresh)).status).toBe(200)
    }
    expect((await service.showKey(record.keyId)).dayCount).toBe(3)
  })
})
