import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

declare const keyHash: unique symbol
/** The SHA-256 of an API key in hex: the only form in which a key is stored. */
export type KeyHash = string & { readonly [keyHash]: true }

/** `pet_live_` in production, `pet_test_` elsewhere, so that the two cannot be confused. */
export type ApiKeyPrefix = 'pet_live_' | 'pet_test_'

export const isApiKeyPrefix = (text: string): text is ApiKeyPrefix => text === 'pet_live_' || text === 'pet_test_'

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The smallest number of random characters in a key. 32 characters of base62 are 190 bits. */
export const minimumRandomLength = 32

const checksumLength = 6

/** The largest length of a text that is checked, so that a hostile header takes little work. */
const maximumKeyLength = 128

/** Generates a text of random base62 characters. */
export const generateRandomText = (length: number): string =>
  Array.from({ length }, () => base62.charAt(randomInt(base62.length))).join('')

/**
 * Formats a whole key: the prefix, the random part, and a checksum of both. The checksum reveals a mistyped key
 * without a lookup.
 *
 * @example formatApiKey('pet_test_', generateRandomText(minimumRandomLength))
 */
export const formatApiKey = (prefix: ApiKeyPrefix, random: string): string => {
  const body = prefix + random
  return body + computeChecksum(body)
}

/** Whether the text has the form of a key of this environment. The key may never have been issued. */
export const isWellFormed = (text: string, prefix: ApiKeyPrefix): boolean => {
  if (!text.startsWith(prefix) || text.length > maximumKeyLength) return false

  const body = text.slice(0, -checksumLength)
  return (
    body.length >= prefix.length + minimumRandomLength &&
    /^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) &&
    computeChecksum(body) === text.slice(-checksumLength)
  )
}

/** Hashes a key. Only this function makes a KeyHash of a text, hence the cast. */
export const hashApiKey = (apiKey: string): KeyHash => createHash('sha256').update(apiKey).digest('hex') as KeyHash

/** Computes the CRC-32 of a text, as a base62 number of six digits. */
const computeChecksum = (text: string): string => {
  let remainder = crc32(text)
  let digits = ''
  while (digits.length < checksumLength) {
    digits = base62.charAt(remainder % base62.length) + digits
    remainder = Math.floor(remainder / base62.length)
  }
  return digits
}
