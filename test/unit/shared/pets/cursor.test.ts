import { expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../../../../shared/pets/cursor.ts'

const encoded = (text: string): string => Buffer.from(text).toString('base64url')

it.each([0n, 1n, 487_912_340_012_345n, 2n ** 63n - 1n, -(2n ** 63n)])(
  'a cursor leads back to where it was made, needs no escape in a URL, and fits the contract: %s',
  (id) => {
    expect(decodeCursor(encodeCursor(id))).toBe(id)
    expect(encodeCursor(id)).toMatch(/^[\w-]{1,100}$/)
  },
)

it('a cursor is the same in each version of the service: callers keep it while a new one is released', () => {
  expect(encodeCursor(48n)).toBe(encoded('before:48'))
})

it.each([
  ['a bare number', '487912340012345'],
  ['no number', encoded('before:')],
  ['a number that is no int64', encoded('before:9223372036854775808')],
  ['another beginning', encoded('after:5')],
  ['something after it', encoded('before:5 ')],
  ['padding', `${encoded('before:5')}=`],
  ['white space', ` ${encoded('before:5')}`],
  ['stray bits in its last character', encoded('before:48').replace(/.$/, 'h')],
])('a cursor is refused with %s', (_what, cursor) => {
  expect(() => decodeCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
})
