import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { readCursor, writeCursor } from '../../../../shared/pets/cursor.ts'

const encoded = (text: string): string => Buffer.from(text).toString('base64url')

const codeOf = (cursor: string): string => {
  try {
    return `read as ${readCursor(cursor)}`
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error)
  }
}

describe('a cursor', () => {
  it.each([0n, 1n, 487_912_340_012_345n, 2n ** 63n - 1n, -(2n ** 63n)])('leads back to where it was made: %s', (id) => {
    expect(readCursor(writeCursor(id))).toBe(id)
  })

  it('needs no escape in a URL, and fits the length that the contract allows', () => {
    expect(writeCursor(-(2n ** 63n))).toMatch(/^[\w-]{1,100}$/)
  })

  it.each([
    ['other text', 'nonsense'],
    ['a bare number', '487912340012345'],
    ['no number', encoded('before:')],
    ['a number that is no int64', encoded('before:9223372036854775808')],
    ['another beginning', encoded('after:5')],
    ['something after it', encoded('before:5 ')],
    ['padding', `${encoded('before:5')}=`],
    ['white space', ` ${encoded('before:5')}`],
    ['stray bits in its last character', encoded('before:48').replace(/.$/, 'h')],
    ['nothing', ''],
  ])('is refused as invalid_cursor with %s', (_what, cursor) => {
    expect(codeOf(cursor)).toBe('invalid_cursor')
  })
})
