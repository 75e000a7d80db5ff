import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

declare const keyHash: unique symbol
/** The SHA-256 of an API key in hex: the only form in which a key is stored. */
export type KeyHash = string & { readonly [keyHash]: true }

/** `pet_live_` in production, `pet_test_` elsewhere, so that the two cannot be confused. */
export type ApiKeyPrefix = 'pet_live_' | 'pet_test_'

export const isApiKeyPrefix = (text: string): text is ApiKeyPrefix => text === 'pet_live_' || text === 'pet_test_'

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const generateRandomText = (length: number): string =>
  Array.from({ length }, () => base62.charAt(randomInt(base62.length))).join('')

/** How many random characters a key has at least; 32 of base62 are 190 bits. */
export const minimumRandomLength = 32
const checksumLength = 6

/** The whole key: prefix, random part, and the CRC-32 of both, so that a mistyped key is known without a look-up. */
export const formatApiKey = (prefix: ApiKeyPrefix, random: string): string =>
  prefix + random + checksum(prefix + random)

/** Whether the text has the form of a key of this environment. It says nothing about whether it was ever issued. */
export const isWellFormed = (text: string, prefix: ApiKeyPrefix): boolean => {
  if (!text.startsWith(prefix) || text.length > longestKey) return false
  const body = text.slice(0, -checksumLength)
  return (
    body.length >= prefix.length + minimumRandomLength &&
    /^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) &&
    checksum(body) === text.slice(-checksumLength)
  )
}

/** Keeps the work on a hostile header small. */
const longestKey = 128

// A brand: nothing but this function makes a KeyHash of a text.
export const hashApiKey = (apiKey: string): KeyHash => createHash('sha256').update(apiKey).digest('hex') as KeyHash

const checksum = (text: string): string => {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < checksumLength) {
    digits = base62.charAt(rest % base62.length) + digits
    rest = Math.floor(rest / base62.length)
  }
  return digits
}
