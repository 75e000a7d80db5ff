import { expect, it } from 'vitest'
import { base62, formatApiKey, hashApiKey, isWellFormed } from '../../../../shared/api-keys/api-key.ts'

/** The smallest number of random characters that a key may have: 32. */
const random = 'Zq8Rk2Lw0Vn5Xt7Yb1Cd4Fg6Hj9Ms3Pa'
const key = formatApiKey('pet_test_', random)

/** The length of the random part of the longest key: 128 characters without the prefix and the checksum. */
const longestRandomLength = 113

it('an API key is its prefix, its random part and the same checksum in every version of the service', () => {
  expect(formatApiKey('pet_live_', '0'.repeat(32))).toBe('pet_live_000000000000000000000000000000004HWLXb')
})

it('an API key with any one character mistyped is malformed', () => {
  let mistypedKeys = 0
  for (const [index, right] of [...key].entries()) {
    for (const wrong of base62) {
      if (wrong === right) continue
      const mistyped = key.slice(0, index) + wrong + key.slice(index + 1)
      expect(isWellFormed(mistyped, 'pet_test_'), mistyped).toBe(false)
      mistypedKeys += 1
    }
  }
  // The key has 45 letters and digits with 61 wrong ones each, and 2 underscores with 62.
  expect(mistypedKeys).toBe(2_869)
})

it.each([
  { what: 'a key of this environment', text: key },
  { what: 'a key of 128 characters', text: formatApiKey('pet_test_', 'a'.repeat(longestRandomLength)) },
])('$what is well formed', ({ text }) => {
  expect(isWellFormed(text, 'pet_test_')).toBe(true)
})

it.each([
  { what: 'a key of the other environment', text: formatApiKey('pet_live_', random) },
  { what: 'a key whose random part has 31 characters', text: formatApiKey('pet_test_', random.slice(1)) },
  { what: 'a key of 129 characters', text: formatApiKey('pet_test_', 'a'.repeat(longestRandomLength + 1)) },
  { what: 'an empty text', text: '' },
  { what: 'the prefix alone', text: 'pet_test_' },
  { what: 'a key with white space around it', text: ` ${key} ` },
  { what: 'a key with a line break after it', text: `${key}\n` },
  {
    what: 'a key of other characters with the right checksum',
    text: formatApiKey('pet_test_', `${random.slice(2)}-ä`),
  },
  { what: 'a text of a megabyte', text: `pet_test_${'a'.repeat(1_000_000)}` },
])('$what is malformed', ({ text }) => {
  expect(isWellFormed(text, 'pet_test_')).toBe(false)
})

it('an API key is hashed by SHA-256, in hex', () => {
  expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
