import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createFunctionHost, type FunctionInvoker } from '../../../infra/local/lambda/function-host.ts'
import type { InvocationOutcome } from '../../../infra/local/lambda/function-instance.ts'
import { type DatabaseCall, readDatabaseCalls, startProxy } from '../../fixtures/machine/proxy.ts'
import { type Call, drivers } from '../../fixtures/reference/client-drivers.ts'
import { type FaultyService, setUpFaultyService } from '../../fixtures/service/faulty-service.ts'

const getService = setUpFaultyService()

/** Number of a client's attempts for which the instance of the function stops. A client makes eight attempts. */
const faultyAttempts = 2

const isPutOfPet = ({ operation, table }: DatabaseCall): boolean =>
  operation === 'PutItem' && table === getService().tables.pets

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

interface StopOptions {
  /** Whether the instance stops when it sends this call. This call and later ones wait until `resume`. */
  readonly stopsAt: (call: DatabaseCall) => boolean
  /**
   * How the invocation ends: the function responds 503 when it `gives up` shortly before its timeout; or the instance is
   * `killed`, and the invocation is an error at once.
   */
  readonly end: 'gives up' | 'killed'
}

/** Starts a function whose instance stops when it sends a certain call to DynamoDB, as if Lambda killed it. */
const startStoppedFunction = async ({ functions, databaseEndpoint }: FaultyService, { stopsAt, end }: StopOptions) => {
  await using resources = new AsyncDisposableStack()
  let isStopped = false
  const stopped = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  const proxy = resources.use(
    await startProxy(databaseEndpoint, async (request, forward) => {
      isStopped ||= readDatabaseCalls(request).some(stopsAt)
      if (isStopped) {
        stopped.resolve()
        await resumed.promise
      }
      return forward(request)
    }),
  )

  const hastyFunctions = new Map(functions)
  for (const [name, lambda] of functions) {
    hastyFunctions.set(name, { ...lambda, timeoutMilliseconds: shortTimeoutMilliseconds })
  }
  const host = createFunctionHost({
    functions: end === 'gives up' ? hastyFunctions : functions,
    databaseEndpoint: proxy.endpoint,
    writeLine: () => {},
  })
  resources.defer(host.close)

  const runs: Promise<InvocationOutcome>[] = []
  const invoke: FunctionInvoker['invoke'] = async (functionName, event) => {
    const run = host.invoke(functionName, event)
    runs.push(run)
    if (end === 'gives up') return run
    await stopped.promise
    return { kind: 'error', message: 'The instance has stopped.', log: '' }
  }

  const running = resources.move()
  return {
    invoke,
    // The faulty service lets the host of an invocation report its log, which no test here reads.
    report: () => {},
    /** Lets the instance go on, and waits until its invocations have ended. */
    resume: async (): Promise<void> => {
      resumed.resolve()
      await Promise.all(runs)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Replaces the next instances of create-pet by instances that stop when they send the pet. */
const stopNextInstances = async (end: StopOptions['end']) => {
  const service = getService()
  const options = { stopsAt: isPutOfPet, end }
  const instances = await Promise.all(
    Array.from({ length: faultyAttempts }, () => startStoppedFunction(service, options)),
  )
  onTestFinished(async () => {
    await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()))
  })

  const nextInstances = [...instances]
  // Where this returns undefined, the service uses its own instances.
  service.chooseFunctions = (operation) => (operation === 'create-pet' ? nextInstances.shift() : undefined)
  return instances
}

describe.each(drivers)('the client $client', ({ client, drive, stop }) => {
  afterAll(stop)

  const makeCall = (call: Call) => {
    const { api } = getService()
    return drive({ options: { baseUrl: api.url, apiKey: api.usual }, calls: [call] })
  }

  const createPet = (name: string) => makeCall({ create: { name, categoryId: '1' } })

  /** Lists the pets with a name. */
  const findPets = async (name: string) => {
    const { outcomes } = await makeCall({ pets: {} })
    const listedPets = outcomes.flatMap((outcome) => ('pets' in outcome ? outcome.pets : []))
    return listedPets.filter((pet) => pet.name === name)
  }

  it('a client gets one pet if the first instances are killed before they store it', async () => {
    const name = `Killed ${client}`
    await stopNextInstances('killed')

    const { outcomes } = await createPet(name)

    const pets = await findPets(name)
    expect(pets).toHaveLength(1)
    expect(outcomes).toEqual([{ pets }])
  })

  it('a client gets one pet if the first instances give up while their calls are pending', async () => {
    const name = `Given up ${client}`
    const instances = await stopNextInstances('gives up')
    getService().invocations.length = 0

    const { outcomes } = await createPet(name)
    expect(getService().invocations.filter(hasGivenUp)).toHaveLength(faultyAttempts)
    for (const instance of instances) await instance.resume()

    const pets = await findPets(name)
    expect(pets).toHaveLength(1)
    expect(outcomes).toEqual([{ pets }])
  })
})
