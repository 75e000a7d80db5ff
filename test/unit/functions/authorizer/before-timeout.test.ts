import { afterEach, expect, it, vi } from 'vitest'
import { beforeTimeout } from '../../../../functions/authorizer/authorizer.ts'

const remaining = (milliseconds: number) => ({ getRemainingTimeInMillis: () => milliseconds })

afterEach(() => {
  vi.useRealTimers()
})

it('returns the result or the error of work that ends in time', async () => {
  expect(await beforeTimeout(remaining(5_000), Promise.resolve('done'))).toBe('done')
  await expect(beforeTimeout(remaining(5_000), Promise.reject(new Error('failed')))).rejects.toThrow('failed')
})

it.each([
  [5_000, 4_500],
  [500, 0],
  [0, 0],
])('rejects half a second before the timeout: of %i ms left, after %i', async (left, expected) => {
  vi.useFakeTimers()
  const start = Date.now()
  const result = beforeTimeout(remaining(left), new Promise(() => {})).catch((error) => [
    ...[Date.now() - start, String(error)],
  ])
  await vi.runAllTimersAsync()
  expect(await result).toEqual([expected, 'Error: DynamoDB did not respond before the timeout of the function.'])
})
