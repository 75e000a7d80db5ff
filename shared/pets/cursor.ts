import { parseInt64 } from '../int64.ts'
import { ServiceError } from '../service-error.ts'

/** Beginning of the text inside a cursor. */
const prefix = 'before:'

/**
 * Encodes the cursor of the page that follows a pet: an opaque text that requests the pets with a lower id. Pets that
 * are added later do not change that page.
 *
 * @example encodeCursor(48n) // 'YmVmb3JlOjQ4', which is before:48 in base64url
 */
export const encodeCursor = (petId: bigint): string => Buffer.from(prefix + petId).toString('base64url')

/**
 * Decodes a cursor into the id of the pet that it follows.
 *
 * @throws ServiceError `invalid_cursor` for a text that `encodeCursor` did not return
 */
export const decodeCursor = (cursor: string): bigint => {
  const text = Buffer.from(cursor, 'base64url').toString()
  const petId = text.startsWith(prefix) ? parseInt64(text.slice(prefix.length)) : undefined
  // Several texts decode to the same id: Node ignores white space, padding and stray bits in base64url.
  if (petId === undefined || encodeCursor(petId) !== cursor) throw new ServiceError('invalid_cursor')
  return petId
}
