import { describe, expect, it } from 'vitest'
import { base62, formatApiKey, hashApiKey, isWellFormed, randomLength } from '../../../../shared/api-keys/api-key.ts'

const random = 'Zq8Rk2Lw0Vn5Xt7Yb1Cd4Fg6Hj9Ms3Pa'
const key = formatApiKey('pet_test_', random)

const replaceAt = (text: string, index: number, character: string): string =>
  text.slice(0, index) + character + text.slice(index + 1)

describe('an API key', () => {
  it('is its prefix, its random part and a checksum of six characters', () => {
    expect(key).toMatch(new RegExp(`^pet_test_${random}[0-9A-Za-z]{6}$`))
    expect(random).toHaveLength(randomLength)
  })

  it('keeps its checksum from one version of the service to the next', () => {
    expect(formatApiKey('pet_live_', '0'.repeat(32))).toBe('pet_live_000000000000000000000000000000004HWLXb')
  })

  it('is refused with any one character mistyped', () => {
    const mistyped = [...key].flatMap((right, index) =>
      [...base62].filter((character) => character !== right).map((character) => replaceAt(key, index, character)),
    )
    expect(mistyped.length).toBeGreaterThan(2_000)
    expect(mistyped.filter((text) => isWellFormed(text, 'pet_test_'))).toEqual([])
  })

  it('is refused with any two neighbours swapped', () => {
    const swapped = [...key].flatMap((first, index) => {
      const second = key.charAt(index + 1)
      return second === '' || second === first ? [] : [replaceAt(replaceAt(key, index, second), index + 1, first)]
    })
    expect(swapped.length).toBeGreaterThan(40)
    expect(swapped.filter((text) => isWellFormed(text, 'pet_test_'))).toEqual([])
  })

  it('is refused in the other environment', () => {
    expect(isWellFormed(key, 'pet_live_')).toBe(false)
    expect(isWellFormed(key, 'pet_test_')).toBe(true)
  })

  it('is refused with a random part shorter than 32 characters', () => {
    expect(isWellFormed(formatApiKey('pet_test_', random.slice(1)), 'pet_test_')).toBe(false)
  })

  it('is accepted with a longer random part, up to 128 characters in all', () => {
    const longest = 128 - 'pet_test_'.length - 6
    expect(isWellFormed(formatApiKey('pet_test_', 'a'.repeat(longest)), 'pet_test_')).toBe(true)
    expect(isWellFormed(formatApiKey('pet_test_', 'a'.repeat(longest + 1)), 'pet_test_')).toBe(false)
  })

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'pet_test_'],
    ['white space around it', ` ${key} `],
    ['a line break after it', `${key}\n`],
    ['other characters, with a right checksum', formatApiKey('pet_test_', `${random.slice(2)}-ä`)],
    ['a megabyte', `pet_test_${'a'.repeat(1_000_000)}`],
  ])('is refused as %s', (_what, text) => {
    expect(isWellFormed(text, 'pet_test_')).toBe(false)
  })

  it('is hashed by SHA-256, in hex', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
