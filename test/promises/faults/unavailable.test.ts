import { describe, expect, it } from 'vitest'
import { chooseBySize } from '../../fixtures/size.ts'
import { findFaults, type Step } from '../../requests/scenario.ts'
import { type Fault, faults, onFirst } from './fault-proxy.ts'
import { faultyService } from './service.ts'

const running = faultyService()

type Caller = 'operations' | 'authorizer'

/** Two are waited for until a time-out: `npm test` takes one of them for the operations and one for the authorizer. */
const faultsFor = (caller: Caller): readonly Fault[] =>
  faults.filter(
    (fault) => fault !== chooseBySize({ operations: 'stalled response', authorizer: 'no response' }[caller], ''),
  )

const isCalledBy = (caller: Caller, table: string): boolean =>
  (table === running().tables.apiKeys) === (caller === 'authorizer')

/** Has each call meet a fault from now on. */
const fail = (fault: Fault, caller: Caller): void => {
  const { proxy, invocations } = running()
  proxy.decide = ({ table }) => (isCalledBy(caller, table) ? fault : undefined)
  invocations.length = 0
}

/** What is wrong with the responses to requests, by these steps and by the contract. */
const wrong = (...steps: readonly Step[]) => findFaults({ title: '', steps }, running().api)

const create = (name: string, rest: Partial<Step> = {}): Step => ({
  ...{ send: 'POST /pets', body: { name, categoryId: 1 }, status: 201 },
  ...rest,
})

const unavailable = { status: 503, code: 'service_unavailable', responseHeaders: { 'Retry-After': '1' } }

// First: an instance whose calls have failed for long does not try again.
describe('A pet is stored once', () => {
  const stored = (name: string): Step => ({
    send: 'GET /pets?limit=2',
    status: 200,
    responseBody: [{ name }, { name: 'Before' }],
  })

  // The service gives each call a second: on a busy machine the call after the one that failed may take longer.
  const patient = { retry: 2 }
  it.each(faultsFor('operations'))(
    'where the first call fails, which no caller notices: %s',
    patient,
    async (fault) => {
      expect(await wrong(create('Before'))).toEqual([])
      running().proxy.decide = onFirst(fault, ({ table }) => isCalledBy('operations', table))
      expect(await wrong(create(fault), stored(fault))).toEqual([])
    },
  )
})

describe('While DynamoDB fails', () => {
  it.each(faultsFor('operations'))('each operation responds 503 with Retry-After, in time: %s', async (fault) => {
    fail(fault, 'operations')
    const counted = { ...unavailable, responseHeaders: { 'Retry-After': '1', 'X-RateLimit-Remaining': /^\d+$/ } }
    const found = await Promise.all([
      wrong({ send: 'GET /pets', ...counted }),
      wrong({ send: 'GET /pets/1', ...counted }),
      wrong(create('Bella', counted)),
      wrong(create('Bella', { headers: { 'Idempotency-Key': '{unique}' }, ...counted })),
    ])
    expect(found.flat()).toEqual([])
    expect(running().endedInTime()).toBe(true)
  })

  it.each(faultsFor('authorizer'))('no request is admitted uncounted, and it ends in time: %s', async (fault) => {
    fail(fault, 'authorizer')
    expect(await wrong({ send: 'GET /pets', ...unavailable })).toEqual([])
    expect(running().invocations.map(({ operation }) => operation)).toEqual(['authorizer'])
    expect(running().endedInTime()).toBe(true)
  })

  it('a key whose item takes no more writes gets 429, for the rest of a second', async () => {
    running().proxy.decide = ({ operation }) => (operation === 'UpdateItem' ? 'throttled' : undefined)
    expect(await wrong({ send: 'GET /pets', status: 429, responseHeaders: { 'Retry-After': /^[23]$/ } })).toEqual([])
  })
})
