import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { boundedRetries } from '../../../../shared/dynamodb/bounded-retries.ts'

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

type Failure = Parameters<ReturnType<typeof boundedRetries>['refreshRetryTokenForRetry']>[1]

/** Makes attempts that fail this way, each after some milliseconds, until there are to be no more. */
const attempts = async (strategy: ReturnType<typeof boundedRetries>, failure: Failure, milliseconds = 1) => {
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

it.each<[made: number, what: string, failure: Failure, milliseconds: number]>([
  [3, 'fails at once: throttled', { errorType: 'THROTTLING' }, 1],
  [3, 'fails at once: lost', { errorType: 'TRANSIENT' }, 1],
  [3, 'fails at once: another transaction is on the item', { errorType: 'CLIENT_ERROR', error: inTransaction }, 1],
  [3, 'gets no response for 0.6 seconds', { errorType: 'TRANSIENT' }, 600],
  [2, 'gets no response for a second', { errorType: 'TRANSIENT' }, 1_000],
  [1, 'is invalid', { errorType: 'CLIENT_ERROR', error: new Error() as never }, 1],
])('makes %i attempts where each %s', async (made, _what, failure, milliseconds) => {
  expect(await attempts(boundedRetries(), failure, milliseconds)).toBe(made)
})

it.each([
  [2, 575],
  [1, 1_150],
])(
  'makes %i attempts of %i ms where the wait before the next would end 1.2 seconds after the first',
  async (made, milliseconds) => {
    // A wait of 90 ms, and one of 180.
    vi.mocked(Math.random).mockReturnValue(0.9)
    expect(await attempts(boundedRetries(), { errorType: 'TRANSIENT' }, milliseconds)).toBe(made)
  },
)

it('stops retrying while DynamoDB is unavailable for long, and retries again after calls succeed', async () => {
  const strategy = boundedRetries()
  const lost = { errorType: 'TRANSIENT' } as const
  for (let call = 0; call < 25; call += 1) expect(await attempts(strategy, lost)).toBe(3)
  expect(await attempts(strategy, lost)).toBe(1)
  strategy.recordSuccess(await strategy.acquireInitialRetryToken(''))
  expect(await attempts(strategy, lost)).toBe(2)
})
