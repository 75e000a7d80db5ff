import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { boundedRetries } from '../../../../shared/dynamodb/bounded-retries.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Makes attempts that fail this way, each after some milliseconds, until there are to be no more. */
const attempts = async (
  strategy: ReturnType<typeof boundedRetries>,
  errorType: 'THROTTLING' | 'TRANSIENT' | 'CLIENT_ERROR',
  milliseconds: number,
): Promise<number> => {
  let token = await strategy.acquireInitialRetryToken('')
  for (let made = 1; ; made += 1) {
    vi.advanceTimersByTime(milliseconds)
    try {
      token = await strategy.refreshRetryTokenForRetry(token, { errorType })
    } catch {
      return made
    }
  }
}

it.each(['THROTTLING', 'TRANSIENT'] as const)('makes three attempts where they fail at once: %s', async (errorType) => {
  expect(await attempts(boundedRetries(), errorType, 1)).toBe(3)
})

it('makes two attempts where each gets no response for a second', async () => {
  expect(await attempts(boundedRetries(), 'TRANSIENT', 1_000)).toBe(2)
})

it('makes one attempt where the request is invalid', async () => {
  expect(await attempts(boundedRetries(), 'CLIENT_ERROR', 1)).toBe(1)
})

it('tries again while a transaction is on the item', async () => {
  const strategy = boundedRetries()
  const token = await strategy.acquireInitialRetryToken('')
  const error = new Error()
  error.name = 'TransactionConflictException'
  // The SDK's type of an error has what an Error lacks.
  const retry = strategy.refreshRetryTokenForRetry(token, { errorType: 'CLIENT_ERROR', error: error as never })
  expect((await retry).getRetryCount()).toBe(1)
})

it('stops retrying while DynamoDB is unavailable for long, and retries again after calls succeed', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const strategy = boundedRetries()
  for (let call = 0; call < 25; call += 1) expect(await attempts(strategy, 'TRANSIENT', 1)).toBe(3)
  expect(await attempts(strategy, 'TRANSIENT', 1)).toBe(1)
  strategy.recordSuccess(await strategy.acquireInitialRetryToken(''))
  expect(await attempts(strategy, 'TRANSIENT', 1)).toBe(2)
})
