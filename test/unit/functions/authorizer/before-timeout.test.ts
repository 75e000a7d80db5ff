import { expect, it } from 'vitest'
import { beforeTimeout } from '../../../../functions/authorizer/before-timeout.ts'

const remaining = (milliseconds: number) => ({ getRemainingTimeInMillis: () => milliseconds })
const never = new Promise<string>(() => {})

it('gives what the work came to in time', async () => {
  expect(await beforeTimeout(remaining(5_000), Promise.resolve('done'))).toBe('done')
  await expect(beforeTimeout(remaining(5_000), Promise.reject(new Error('failed')))).rejects.toThrow('failed')
})

it.each([501, 500, 0])('gives up half a second before the timeout, also where %i ms are left', async (left) => {
  await expect(beforeTimeout(remaining(left), never)).rejects.toThrow('before the timeout of the function')
})
