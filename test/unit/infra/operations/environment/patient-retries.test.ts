import { beforeEach, expect, it, vi } from 'vitest'
import { createPatientRetries } from '../../../../../infra/operations/environment/patient-retries.ts'

type Failure = Parameters<ReturnType<typeof createPatientRetries>['refreshRetryTokenForRetry']>[1]

const throttled: Failure = { errorType: 'THROTTLING' }
const lost: Failure = { errorType: 'TRANSIENT' }
const invalid: Failure = { errorType: 'CLIENT_ERROR' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  // Math.random chooses each wait: 0 is the shortest one.
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

/** Makes attempts of one call that all fail after a second, until no other is allowed. @returns their number */
const countAttempts = async (failure: Failure, isInterrupted = () => false): Promise<number> => {
  const strategy = createPatientRetries(isInterrupted)
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

it('a throttled call is repeated for half a minute', async () => {
  expect(await countAttempts(throttled)).toBe(30)
})

it('each of a hundred throttled calls is repeated for half a minute', async () => {
  const strategy = createPatientRetries(() => false)
  const tokens = await Promise.all(Array.from({ length: 100 }, () => strategy.acquireInitialRetryToken('')))

  vi.advanceTimersByTime(29_000)

  const retries = tokens.map((token) => strategy.refreshRetryTokenForRetry(token, throttled))
  await expect(Promise.all(retries)).resolves.toHaveLength(100)
})

it('a lost call is attempted eight times', async () => {
  expect(await countAttempts(lost)).toBe(8)
})

it('an invalid call is attempted once', async () => {
  expect(await countAttempts(invalid)).toBe(1)
})

it('a throttled call is not repeated after an interruption', async () => {
  expect(await countAttempts(throttled, () => true)).toBe(1)
})

it('a call is repeated after a wait, and once more after twice the wait', async () => {
  vi.useRealTimers()
  // The longest waits: 100 and 200 milliseconds.
  vi.mocked(Math.random).mockReturnValue(1)
  const strategy = createPatientRetries(() => false)
  const startedAt = performance.now()

  const firstAttempt = await strategy.acquireInitialRetryToken('')
  const secondAttempt = await strategy.refreshRetryTokenForRetry(firstAttempt, lost)
  await strategy.refreshRetryTokenForRetry(secondAttempt, lost)

  // Timers of Node.js may end some milliseconds early.
  expect(performance.now() - startedAt).toBeGreaterThan(290)
})
