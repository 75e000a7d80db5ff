import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FunctionHost } from '../../../infra/local/lambda/function-host.ts'
import { failFirst, faults } from '../../fixtures/database/fault-proxy.ts'
import type { DatabaseCall } from '../../fixtures/machine/proxy.ts'
import { setUpFaultyService } from '../../fixtures/service/faulty-service.ts'
import { findFaults, type Step } from '../../requests/scenario.ts'

const getService = setUpFaultyService()

/** Faults after which a call is sent again at once. The others use up the time that a call has. */
const quickFaults = faults.filter((fault) => fault !== 'stalled response' && fault !== 'no response')

/** Tells whether the authorizer made a call. Only the authorizer uses the table of API keys. */
const isCallOfAuthorizer = ({ table }: DatabaseCall): boolean => table === getService().tables.apiKeys

const isCallOfOperation = (call: DatabaseCall): boolean => !isCallOfAuthorizer(call)

/** Sends requests, and compares each response with its step and with the contract. @returns what is wrong */
const send = (...steps: readonly Step[]): Promise<readonly string[]> =>
  findFaults({ title: 'one scenario', steps }, getService().api)

const createPet = (name: string): Step => ({ send: 'POST /pets', body: { name, categoryId: 1 }, status: 201 })

const unavailable = {
  status: 503,
  code: 'service_unavailable',
  responseHeaders: { 'Retry-After': '1' },
} as const

describe('while the first call to DynamoDB fails', () => {
  /** Instances of these tests alone: an instance whose calls have failed for long does not retry any more. */
  let ownInstances: FunctionHost
  beforeAll(() => {
    ownInstances = getService().hostOtherInstances()
  })
  beforeEach(() => {
    getService().chooseFunctions = () => ownInstances
  })
  afterAll(() => ownInstances.close())

  it.each(quickFaults)(
    'a pet is stored once and no caller notices when the first call has the fault "%s"',
    async (fault) => {
      expect(await send(createPet('Before'))).toEqual([])
      getService().proxy.chooseFault = failFirst(fault, isCallOfOperation)

      const problems = await send(createPet(fault), {
        // The earlier pet stands next to the new one, so the new one is stored once.
        send: 'GET /pets?limit=2',
        status: 200,
        responseBody: [{ name: fault }, { name: 'Before' }],
      })

      expect(problems).toEqual([])
    },
  )
})

describe('while all calls to DynamoDB fail', () => {
  it.each(faults)('each operation responds 503 in time while all its calls have the fault "%s"', async (fault) => {
    const { proxy, invocations } = getService()
    proxy.chooseFault = (call) => (isCallOfOperation(call) ? fault : undefined)
    invocations.length = 0
    // The authorizer works, so the request is counted.
    const unavailableAndCounted = {
      ...unavailable,
      responseHeaders: { 'Retry-After': '1', 'X-RateLimit-Remaining': /^\d+$/ },
    }

    const problems = await Promise.all([
      send({ send: 'GET /pets', ...unavailableAndCounted }),
      send({ send: 'GET /pets/1', ...unavailableAndCounted }),
      send({ ...createPet('Bella'), ...unavailableAndCounted }),
      send({ ...createPet('Bella'), headers: { 'Idempotency-Key': '{unique}' }, ...unavailableAndCounted }),
    ])

    expect(problems).toEqual([[], [], [], []])
    expect(getService().endedInTime()).toBe(true)
  })

  it.each(faults)(
    'no request is admitted uncounted while all calls of the authorizer have the fault "%s"',
    async (fault) => {
      const { proxy, invocations } = getService()
      proxy.chooseFault = (call) => (isCallOfAuthorizer(call) ? fault : undefined)
      invocations.length = 0

      const problems = await send({ send: 'GET /pets', ...unavailable })

      expect(problems).toEqual([])
      expect(invocations.map(({ operation }) => operation)).toEqual(['authorizer'])
      expect(getService().endedInTime()).toBe(true)
    },
  )
})
