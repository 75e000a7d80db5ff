import { expect, it } from 'vitest'
import {
  base62,
  formatApiKey,
  hashApiKey,
  isWellFormed,
  minimumRandomLength,
} from '../../../../shared/api-keys/api-key.ts'

const random = 'Zq8Rk2Lw0Vn5Xt7Yb1Cd4Fg6Hj9Ms3Pa'
const key = formatApiKey('pet_test_', random)
const longest = 128 - 'pet_test_'.length - 6

const replaceAt = (index: number, characters: string): string =>
  key.slice(0, index) + characters + key.slice(index + characters.length)

it('an API key is its prefix, its random part and a checksum, which no version of the service changes', () => {
  expect(key).toMatch(new RegExp(`^pet_test_${random}[0-9A-Za-z]{6}$`))
  expect(random).toHaveLength(minimumRandomLength)
  expect(formatApiKey('pet_live_', '0'.repeat(32))).toBe('pet_live_000000000000000000000000000000004HWLXb')
})

it('an API key is refused with any one character mistyped, or any two neighbours swapped', () => {
  const mistyped = [...key].flatMap((right, index) =>
    [...base62].filter((character) => character !== right).map((character) => replaceAt(index, character)),
  )
  const swapped = [...key.slice(1)].map((second, index) => replaceAt(index, second + key.charAt(index)))
  const wrong = [...mistyped, ...swapped.filter((text) => text !== key)]
  expect(wrong.length).toBeGreaterThan(2_040)
  expect(wrong.filter((text) => isWellFormed(text, 'pet_test_'))).toEqual([])
})

it.each<[what: string, text: string, isAccepted: boolean]>([
  ['its own environment', key, true],
  ['the other environment', formatApiKey('pet_live_', random), false],
  ['a random part of 31 characters', formatApiKey('pet_test_', random.slice(1)), false],
  ['128 characters in all', formatApiKey('pet_test_', 'a'.repeat(longest)), true],
  ['129 characters in all', formatApiKey('pet_test_', 'a'.repeat(longest + 1)), false],
  ['nothing', '', false],
  ['the prefix alone', 'pet_test_', false],
  ['white space around it', ` ${key} `, false],
  ['a line break after it', `${key}\n`, false],
  ['other characters and a right checksum', formatApiKey('pet_test_', `${random.slice(2)}-ä`), false],
  ['a megabyte', `pet_test_${'a'.repeat(1_000_000)}`, false],
])('a text is an API key of this environment where it has the form of one: %s', (_what, text, isAccepted) => {
  expect(isWellFormed(text, 'pet_test_')).toBe(isAccepted)
})

it('an API key is hashed by SHA-256, in hex', () => {
  expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
