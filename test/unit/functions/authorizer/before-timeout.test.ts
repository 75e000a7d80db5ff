import { afterEach, expect, it, vi } from 'vitest'
import { beforeTimeout } from '../../../../functions/authorizer/authorizer.ts'

const remaining = (milliseconds: number) => ({ getRemainingTimeInMillis: () => milliseconds })
const never = new Promise<string>(() => {})

afterEach(() => {
  vi.useRealTimers()
})

it('returns the result or the error of work that ends in time', async () => {
  expect(await beforeTimeout(remaining(5_000), Promise.resolve('done'))).toBe('done')
  await expect(beforeTimeout(remaining(5_000), Promise.reject(new Error('failed')))).rejects.toThrow('failed')
})

it('rejects half a second before the timeout, and not earlier', async () => {
  vi.useFakeTimers()
  let isOver = false
  const result = beforeTimeout(remaining(5_000), never).finally(() => {
    isOver = true
  })
  const expectation = expect(result).rejects.toThrow('before the timeout of the function')
  await vi.advanceTimersByTimeAsync(4_499)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(isOver).toBe(true)
  await expectation
})

it.each([500, 0])('rejects at once where %i ms are left', async (left) => {
  await expect(beforeTimeout(remaining(left), never)).rejects.toThrow('before the timeout of the function')
})
