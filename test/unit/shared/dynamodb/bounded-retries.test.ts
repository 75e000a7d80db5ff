import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createBoundedRetries } from '../../../../shared/dynamodb/bounded-retries.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  vi.spyOn(Math, 'random').mockReturnValue(0)
  // The function has run for a while.
  vi.advanceTimersByTime(5_000)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Failure = Parameters<ReturnType<typeof createBoundedRetries>['refreshRetryTokenForRetry']>[1]

/** Makes attempts that fail this way, each after some milliseconds, until there are to be no more. */
const attempts = async (strategy: ReturnType<typeof createBoundedRetries>, failure: Failure, milliseconds = 1) => {
  let token = await strategy.acquireInitialRetryToken('')
  for (let made = 1; ; made += 1) {
    vi.advanceTimersByTime(milliseconds)
    try {
      token = await strategy.refreshRetryTokenForRetry(token, failure)
    } catch {
      return made
    }
    expect([token.getRetryCount(), token.getRetryDelay()]).toEqual([made, 0])
  }
}

// The SDK's type of an error has what an Error lacks.
const inTransaction = Object.assign(new Error(), { name: 'TransactionConflictException' }) as never

const [lost, throttled] = [{ errorType: 'TRANSIENT' }, { errorType: 'THROTTLING' }] as const

it.each<[made: number, what: string, failure: Failure, milliseconds: number, random: number]>([
  [3, 'fails at once: throttled', throttled, 1, 0],
  [3, 'fails at once: lost', lost, 1, 0],
  [3, 'fails at once: another transaction is on the item', { errorType: 'CLIENT_ERROR', error: inTransaction }, 1, 0],
  [3, 'gets no response for 0.6 seconds', lost, 600, 0],
  [2, 'gets no response for a second', lost, 1_000, 0],
  [1, 'is invalid', { errorType: 'CLIENT_ERROR', error: new Error() as never }, 1, 0],
  [2, 'and a wait of 90 ms, but not one more of 180, fit in 1.2 seconds', lost, 575, 0.9],
  [1, 'takes so long that a wait of 90 ms does not fit in 1.2 seconds', lost, 1_150, 0.9],
])('makes %i attempts where each %s', async (made, _what, failure, milliseconds, random) => {
  vi.mocked(Math.random).mockReturnValue(random)
  expect(await attempts(createBoundedRetries(), failure, milliseconds)).toBe(made)
})

it('stops retrying while DynamoDB is unavailable for long, and retries again after calls succeed', async () => {
  const strategy = createBoundedRetries()
  for (let call = 0; call < 25; call += 1) expect(await attempts(strategy, lost)).toBe(3)
  expect(await attempts(strategy, lost)).toBe(1)
  strategy.recordSuccess(await strategy.acquireInitialRetryToken(''))
  expect(await attempts(strategy, lost)).toBe(2)
})
