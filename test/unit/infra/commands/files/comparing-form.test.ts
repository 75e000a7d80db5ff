import { expect, it } from 'vitest'
import { foldForSearch } from '../../../../../infra/commands/files/comparing-form.ts'

it.each([
  { name: 'Zoë', search: 'ZOE\u0308' },
  { name: 'Straßenhund', search: 'STRASSE' },
  { name: 'İstanbul', search: 'istanbul' },
  { name: 'Irmak', search: 'ırmak' },
  { name: 'Οδυσσεύς', search: 'ΟΔΥΣΣΕΎΣ' },
])('a search for $search finds $name', ({ name, search }) => {
  expect(foldForSearch(name)).toContain(foldForSearch(search))
})

it('a search keeps accents and spaces apart', () => {
  expect(foldForSearch('Zoë')).not.toBe(foldForSearch('Zoe'))
  expect(foldForSearch('Guinea Pig')).not.toBe(foldForSearch('GuineaPig'))
})
