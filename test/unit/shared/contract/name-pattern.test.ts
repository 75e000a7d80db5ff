import { expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'

const pattern = readContract().document.components.schemas['PetName']?.pattern

const valid = ['Bella', ' Bella the 2nd ', '犬', '🐶', ' 🐶 ', 'a\n']
const invalid = ['', ' \t\n\u00A0\u3000', '\uD83D', '\uDC36', 'Bella\uD83D', '\uDC36\uD83D', '\uD83D Bella']

it.each(['u', ''])('the pattern of a name judges alike in an engine with the flags "%s"', (flags) => {
  const isName = (name: string) => new RegExp(String(pattern), flags).test(name)
  expect(valid.filter((name) => !isName(name))).toEqual([])
  expect(invalid.filter(isName)).toEqual([])
})
