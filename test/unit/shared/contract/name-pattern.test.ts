import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'

const pattern = readContract().document.components.schemas['PetName']?.pattern

const names: readonly (readonly [name: string, isOne: boolean])[] = [
  ['Bella', true],
  [' Bella the 2nd ', true],
  ['犬', true],
  ['🐶', true],
  [' 🐶 ', true],
  ['a\n', true],
  ['', false],
  [' \t\n\u00A0\u3000', false],
  ['\uD83D', false],
  ['\uDC36', false],
  ['Bella\uD83D', false],
  ['\uDC36\uD83D', false],
  ['\uD83D Bella', false],
]

describe.each(['u', ''])('the pattern of a name, in an engine with the flags "%s"', (flags) => {
  it.each(names)('judges %j: %s', (name, isOne) => {
    expect(new RegExp(String(pattern), flags).test(name)).toBe(isOne)
  })
})
