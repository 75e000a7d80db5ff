import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createFunctionHost } from '../../../infra/local/lambda/function-host.ts'
import type { InvocationOutcome } from '../../../infra/local/lambda/function-instance.ts'
import { readDatabaseCalls, startProxy } from '../../fixtures/machine/proxy.ts'
import { type Call, drivers } from '../../fixtures/reference/client-drivers.ts'
import { type FaultyService, setUpFaultyService } from '../../fixtures/service/faulty-service.ts'

// Killed instances are tested in test/unit/shared/idempotency/interleavings.test.ts, and what the clients do after an
// error in test/unit/infra/reference/clients.

const getService = setUpFaultyService()

/** Number of a client's attempts for which the instance of the function gives up. A client makes eight attempts. */
const faultyAttempts = 2

/**
 * Whether an instance of create-pet has given up: it responds 503 shortly before the timeout of the function. On a busy
 * machine its thread may get no processor by then. The invocation then times out, and the gateway responds instead.
 */
const hasGivenUp = ({ operation, outcome }: FaultyService['invocations'][number]): boolean => {
  if (operation !== 'create-pet') return false
  if (outcome.kind === 'error') return outcome.message.startsWith('Task timed out')
  return /"statusCode":503/.test(outcome.payload)
}

/** Timeout of a function that gives up while a call is pending: long enough to load its code and to begin that call. */
const shortTimeoutMilliseconds = 2_500

/**
 * Starts an instance of create-pet whose calls to DynamoDB wait from the put of the pet on, until `resume`. So the
 * function gives up shortly before its timeout.
 */
const startSlowInstance = async ({ functions, databaseEndpoint, tables }: FaultyService) => {
  await using resources = new AsyncDisposableStack()
  let isWaiting = false
  const resumed = Promise.withResolvers<void>()
  const proxy = resources.use(
    await startProxy(databaseEndpoint, async (request, forward) => {
      const calls = readDatabaseCalls(request)
      isWaiting ||= calls.some(({ operation, table }) => operation === 'PutItem' && table === tables.pets)
      if (isWaiting) await resumed.promise
      return forward(request)
    }),
  )

  const hastyFunctions = new Map(functions)
  for (const [name, lambda] of functions) {
    hastyFunctions.set(name, { ...lambda, timeoutMilliseconds: shortTimeoutMilliseconds })
  }
  // No test here reads the lines that these functions log.
  const writeLine = (): void => {}
  const host = createFunctionHost({ functions: hastyFunctions, databaseEndpoint: proxy.endpoint, writeLine })
  resources.defer(host.close)

  const runs: Promise<InvocationOutcome>[] = []
  const invoke = (functionName: string, event: string): Promise<InvocationOutcome> => {
    const run = host.invoke(functionName, event)
    runs.push(run)
    return run
  }

  const running = resources.move()
  return {
    invoke,
    // The faulty service lets the host of an invocation report its log, which no test here reads.
    report: () => {},
    /** Lets the calls go on, and waits until the invocations have ended. */
    resume: async (): Promise<void> => {
      resumed.resolve()
      await Promise.all(runs)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Replaces the next instances of create-pet by slow ones. */
const slowNextInstances = async () => {
  const service = getService()
  const instances = await Promise.all(Array.from({ length: faultyAttempts }, () => startSlowInstance(service)))
  onTestFinished(async () => {
    await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()))
  })

  const nextInstances = [...instances]
  // The service uses its own instances where this returns undefined.
  service.chooseFunctions = (operation) => (operation === 'create-pet' ? nextInstances.shift() : undefined)
  return instances
}

describe.each(drivers)('the client $client', ({ client, drive, stop }) => {
  afterAll(stop)

  const makeCall = (call: Call) => {
    const { api } = getService()
    return drive({ options: { baseUrl: api.url, apiKey: api.usual }, calls: [call] })
  }

  it('a client gets one pet if the first instances give up while their calls are pending', async () => {
    const name = `Given up ${client}`
    const instances = await slowNextInstances()
    getService().invocations.length = 0

    const { outcomes } = await makeCall({ create: { name, categoryId: '1' } })
    expect(getService().invocations.filter(hasGivenUp)).toHaveLength(faultyAttempts)
    for (const instance of instances) await instance.resume()

    const { outcomes: lists } = await makeCall({ pets: {} })
    const listedPets = lists.flatMap((outcome) => ('pets' in outcome ? outcome.pets : []))
    const pets = listedPets.filter((pet) => pet.name === name)
    expect(pets).toHaveLength(1)
    expect(outcomes).toEqual([{ pets }])
  })
})
