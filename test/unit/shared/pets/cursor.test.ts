import { expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../../../../shared/pets/cursor.ts'

const encodeText = (text: string): string => Buffer.from(text).toString('base64url')

const ids = [0n, 1n, 487_912_340_012_345n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n]

it.each(ids)('the cursor of the pet %s leads back to it, and needs no escape in a URL', (id) => {
  const cursor = encodeCursor(id)

  expect(decodeCursor(cursor)).toBe(id)
  // The contract allows 100 characters.
  expect(cursor).toMatch(/^[\w-]{1,100}$/)
})

it('a cursor is the same in each version of the service, because callers keep it during a release', () => {
  expect(encodeCursor(48n)).toBe(encodeText('before:48'))
})

it.each([
  { problem: 'a bare number', cursor: '487912340012345' },
  { problem: 'no number', cursor: encodeText('before:') },
  { problem: 'a number that is no int64', cursor: encodeText('before:9223372036854775808') },
  { problem: 'another beginning', cursor: encodeText('after:5') },
  { problem: 'something after the number', cursor: encodeText('before:5 ') },
  { problem: 'padding', cursor: `${encodeText('before:5')}=` },
  { problem: 'white space', cursor: ` ${encodeText('before:5')}` },
  { problem: 'another character in the place of a digit', cursor: encodeText('before:4!') },
  // The cursor of the pet 5 is YmVmb3JlOjU. The last character has two bits that base64url ignores.
  { problem: 'stray bits in its last character', cursor: 'YmVmb3JlOjV' },
])('a cursor with $problem is refused', ({ cursor }) => {
  expect(() => decodeCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
})
