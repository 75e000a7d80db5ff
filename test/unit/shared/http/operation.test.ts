import { setTimeout } from 'node:timers/promises'
import { beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { listPets as contract } from '../../../../shared/contract/generated/list-pets.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { createOperationHandler, type RunOperation } from '../../../../shared/http/operation.ts'
import { lambdaContext, readGatewayEvent } from '../../../events/events.ts'

// Responses of errors are tested in response/response.test.ts.

let log: MockInstance<typeof console.error>
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockReturnValue(undefined)
})

/** Requests an operation whose function has some milliseconds left. */
const requestOperation = (run: RunOperation<typeof contract>, millisecondsLeft: number) => {
  const context = { ...lambdaContext, getRemainingTimeInMillis: () => millisecondsLeft }
  return createOperationHandler(contract, run)(readGatewayEvent('list-pets'), context)
}

const runForever = () => new Promise<never>(() => {})

it.each([1_001, 0])('an operation without an end is 503 if the function has %i ms left', async (millisecondsLeft) => {
  const { statusCode, headers } = await requestOperation(runForever, millisecondsLeft)

  expect(statusCode).toBe(503)
  expect(headers).toMatchObject({ 'Retry-After': '1' })
  expect(log.mock.calls).toMatchObject([
    [{ error: expect.stringContaining('Error: The operation did not end before the timeout of the function.') }],
  ])
})

// The function responds a second before its timeout.
it.each([
  { operationMilliseconds: 50, status: 501 },
  { operationMilliseconds: 150, status: 503 },
])(
  'an operation that is 501 after $operationMilliseconds ms is $status if the function has 1,100 ms left',
  async ({ operationMilliseconds, status }) => {
    const run = async () => {
      await setTimeout(operationMilliseconds)
      throw new ServiceError('not_implemented')
    }

    expect(await requestOperation(run, 1_100)).toMatchObject({ statusCode: status })
  },
)

it('the signal of an operation without an end is aborted when its response is sent', async () => {
  let operationSignal: AbortSignal | undefined
  const run: RunOperation<typeof contract> = (_input, _event, signal) => {
    operationSignal = signal
    return runForever()
  }

  await requestOperation(run, 0)

  expect(operationSignal?.aborted).toBe(true)
})
