import { ServiceError } from '../errors/service-error.ts'
import { parseInt64 } from '../int64.ts'

const mark = 'before:'

/** The opaque text that requests the pets older than one. Pets added later do not change its page. */
export const encodeCursor = (before: bigint): string => Buffer.from(mark + before).toString('base64url')

/** @throws ServiceError `invalid_cursor` for a text that `encodeCursor` did not return. */
export const decodeCursor = (cursor: string): bigint => {
  const text = Buffer.from(cursor, 'base64url').toString()
  const before = text.startsWith(mark) ? parseInt64(text.slice(mark.length)) : undefined
  if (before === undefined || encodeCursor(before) !== cursor) throw new ServiceError('invalid_cursor')
  return before
}
