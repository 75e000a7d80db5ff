import { expect, it } from 'vitest'
import { foldForSearch, toComparingForm } from '../../../../../infra/commands/files/comparing-form.ts'

it.each([
  { difference: 'a character that is not shown', one: 'A5\u200b', other: '\ufeffA5' },
  { difference: 'a control character', one: 'A5\u0000', other: 'A5' },
  { difference: 'a no-break space', one: 'Guinea\u00a0Pig ', other: 'Guinea Pig' },
  { difference: 'an accent that is a character of its own', one: 'Zoe\u0308', other: 'Zoë' },
])('texts that differ in $difference have one form', ({ one, other }) => {
  expect(toComparingForm(one)).toBe(toComparingForm(other))
})

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
