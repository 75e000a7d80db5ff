import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb'
import { beforeEach, expect, it, vi } from 'vitest'
import { createCommandRetryStrategy } from '../../../../../infra/commands/environment/retry-strategy.ts'

type Failure = Parameters<ReturnType<typeof createCommandRetryStrategy>['refreshRetryTokenForRetry']>[1]

// The kinds of failure that the SDK knows.
const throttled: Failure = { errorType: 'THROTTLING' }
const lost: Failure = { errorType: 'TRANSIENT' }
const invalid: Failure = { errorType: 'CLIENT_ERROR' }

/** Creates the failure of a call with an error. The cast is needed because the type of `cause` differs in the SDK. */
const createFailure = (error: unknown): Failure => ({ ...invalid, error: error as NonNullable<Failure['error']> })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  // Math.random chooses each wait: 0 is the shortest one.
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

/** Makes attempts of one call that all fail after a second, until no other is allowed. @returns their number */
const countAttempts = async (failure: Failure, strategy = createCommandRetryStrategy()): Promise<number> => {
  let token = await strategy.acquireInitialRetryToken('')
  for (let attempts = 1; ; attempts += 1) {
    vi.advanceTimersByTime(1_000)
    try {
      token = await strategy.refreshRetryTokenForRetry(token, failure)
    } catch {
      return attempts
    }
  }
}

it('each of a hundred throttled calls is repeated for half a minute', async () => {
  const strategy = createCommandRetryStrategy()
  const tokens = await Promise.all(Array.from({ length: 100 }, () => strategy.acquireInitialRetryToken('')))

  vi.advanceTimersByTime(29_000)

  const retries = tokens.map((token) => strategy.refreshRetryTokenForRetry(token, throttled))
  await expect(Promise.all(retries)).resolves.toHaveLength(100)
})

const conflict: unknown = new TransactionConflictException({ message: 'Injected.', $metadata: {} })

it.each([
  { kind: 'throttled', failure: throttled, attempts: 30 },
  { kind: 'lost', failure: lost, attempts: 8 },
  { kind: 'invalid', failure: invalid, attempts: 1 },
  { kind: 'in conflict with a transaction', failure: createFailure(conflict), attempts: 30 },
  // The 30 attempts are those of half a minute.
])(
  'a call that is $kind is attempted $attempts times, if each attempt takes a second',
  async ({ failure, attempts }) => {
    expect(await countAttempts(failure)).toBe(attempts)
  },
)

it.each([
  { codes: ['None', 'TransactionConflict'], attempts: 30 },
  { codes: ['ThrottlingError', 'None'], attempts: 30 },
  { codes: ['None', 'ConditionalCheckFailed'], attempts: 1 },
  { codes: ['TransactionConflict', 'ConditionalCheckFailed'], attempts: 1 },
])('a transaction that is canceled for $codes is attempted $attempts times', async ({ codes, attempts }) => {
  const CancellationReasons = codes.map((Code) => ({ Code }))
  const error = new TransactionCanceledException({ message: 'Injected.', $metadata: {}, CancellationReasons })

  expect(await countAttempts(createFailure(error))).toBe(attempts)
})

it('a lost call waits twice as long before each attempt, and two seconds at most', async () => {
  // Math.random chooses each wait: 1 is the longest one.
  vi.mocked(Math.random).mockReturnValue(1)
  const waits: number[] = []
  await countAttempts(
    lost,
    createCommandRetryStrategy(async (milliseconds) => waits.push(milliseconds)),
  )

  expect(waits).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000])
})
