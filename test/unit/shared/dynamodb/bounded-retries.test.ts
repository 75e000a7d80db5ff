import { beforeEach, expect, it, vi } from 'vitest'
import { createBoundedRetries } from '../../../../shared/dynamodb/bounded-retries.ts'

type Strategy = ReturnType<typeof createBoundedRetries>
type Failure = Parameters<Strategy['refreshRetryTokenForRetry']>[1]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  // Math.random chooses each wait: 0 is the shortest one.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  // The function has run for a while.
  vi.advanceTimersByTime(5_000)
})

const lost: Failure = { errorType: 'TRANSIENT' }
const throttled: Failure = { errorType: 'THROTTLING' }

/**
 * Creates a failure of an invalid call. The cast stands for the SDK's own error, which has properties beyond Error's.
 */
const failWith = (error: Error): Failure => ({
  errorType: 'CLIENT_ERROR',
  error: error as NonNullable<Failure['error']>,
})

const transactionConflict = new Error('Another transaction is on the item.')
transactionConflict.name = 'TransactionConflictException'

/** Makes attempts of one call that all fail, until the strategy allows no other. Returns their number. */
const countAttempts = async (strategy: Strategy, failure: Failure, attemptMilliseconds = 1): Promise<number> => {
  let token = await strategy.acquireInitialRetryToken('')
  for (let attempts = 1; ; attempts += 1) {
    vi.advanceTimersByTime(attemptMilliseconds)
    try {
      token = await strategy.refreshRetryTokenForRetry(token, failure)
    } catch {
      return attempts
    }
    expect(token.getRetryCount()).toBe(attempts)
    expect(token.getRetryDelay()).toBe(0)
  }
}

it.each([
  { what: 'throttled', failure: throttled },
  { what: 'lost', failure: lost },
  { what: 'in conflict with a transaction', failure: failWith(transactionConflict) },
])('a call that is $what at once is attempted three times', async ({ failure }) => {
  expect(await countAttempts(createBoundedRetries(), failure)).toBe(3)
})

it('an invalid call is attempted once', async () => {
  expect(await countAttempts(createBoundedRetries(), failWith(new Error('It is invalid.')))).toBe(1)
})

it.each([
  { attemptMilliseconds: 600, attempts: 3 },
  { attemptMilliseconds: 1_000, attempts: 2 },
])(
  'a call that gets no response for $attemptMilliseconds ms is attempted $attempts times',
  async ({ attemptMilliseconds, attempts }) => {
    expect(await countAttempts(createBoundedRetries(), lost, attemptMilliseconds)).toBe(attempts)
  },
)

// No attempt begins later than 1.2 seconds after the first one.
it.each([
  { attemptMilliseconds: 550, attempts: 2, reason: 'a wait of 180 ms after the second attempt is too late' },
  { attemptMilliseconds: 1_150, attempts: 1, reason: 'a wait of 90 ms after the first attempt is too late' },
])('a call is attempted $attempts times when $reason', async ({ attemptMilliseconds, attempts }) => {
  vi.mocked(Math.random).mockReturnValue(0.9)

  expect(await countAttempts(createBoundedRetries(), lost, attemptMilliseconds)).toBe(attempts)
})

it('a call is not retried when the instance was frozen during the wait', async () => {
  const strategy = createBoundedRetries()
  const token = await strategy.acquireInitialRetryToken('')

  const retry = strategy.refreshRetryTokenForRetry(token, lost)
  vi.advanceTimersByTime(60_000)

  await expect(retry).rejects.toThrow('The call is not retried.')
})

// Each lost call takes two of the 50 retries of the budget.
it('a call is attempted once when the retry budget is used up', async () => {
  const strategy = createBoundedRetries()
  for (let call = 0; call < 25; call += 1) expect(await countAttempts(strategy, lost)).toBe(3)

  expect(await countAttempts(strategy, lost)).toBe(1)
})

it('a call that succeeds gives a retry back to the budget', async () => {
  const strategy = createBoundedRetries()
  for (let call = 0; call < 25; call += 1) await countAttempts(strategy, lost)

  strategy.recordSuccess(await strategy.acquireInitialRetryToken(''))

  expect(await countAttempts(strategy, lost)).toBe(2)
})

it('calls that succeed add nothing to a full retry budget', async () => {
  const strategy = createBoundedRetries()
  for (let call = 0; call < 10; call += 1) strategy.recordSuccess(await strategy.acquireInitialRetryToken(''))

  for (let call = 0; call < 25; call += 1) await countAttempts(strategy, lost)

  expect(await countAttempts(strategy, lost)).toBe(1)
})
