import { expect, it } from 'vitest'
import { formatNumber, formatTable } from '../../../../infra/command-line/report.ts'

it('formatTable aligns columns of ASCII text', () => {
  const rows = [
    ['a', 'b'],
    ['Milo', 'x'],
  ]

  expect(formatTable(rows)).toBe('a     b\nMilo  x')
})

it.each([
  { text: '東京動物園', width: 10, what: 'wide characters' },
  { text: '🐕', width: 2, what: 'an emoji' },
  { text: 'Zoe\u0308', width: 3, what: 'a combining mark' },
  { text: 'Zoë', width: 3, what: 'a composed letter' },
  { text: 'ｱ', width: 1, what: 'a character of half width' },
  { text: '\u001b', width: 6, what: 'an escaped character' },
])('formatTable aligns columns beside $what', ({ text, width }) => {
  const rows = [
    [text, 'x'],
    ['twelve chars', 'x'],
  ]

  const [line = ''] = formatTable(rows).split('\n')

  // The longest cell has 12 characters, and two spaces are between columns.
  expect(line).toMatch(new RegExp(`[^ ] {${14 - width}}x$`))
})

it.each([
  { value: 0, text: '0' },
  { value: 999, text: '999' },
  { value: 12_345.6, text: '12,346' },
  { value: 1_234_567, text: '1,234,567' },
])('formatNumber formats $value as $text', ({ value, text }) => {
  expect(formatNumber(value)).toBe(text)
})
