import { expect, it } from 'vitest'
import { formatNumber, formatTable } from '../../../../infra/command-line/report.ts'

it.each([
  { text: '東京動物園', width: 10, what: 'wide characters' },
  { text: 'Zoe\u0308', width: 3, what: 'a combining mark' },
  { text: '\u001b', width: 6, what: 'an escaped character' },
])('formatTable aligns columns beside $what', ({ text, width }) => {
  const longestCell = 'twelve chars'
  const rows = [
    [text, 'x'],
    [longestCell, 'x'],
  ]

  const [line = ''] = formatTable(rows).split('\n')

  // Two spaces are between columns.
  expect(line).toMatch(new RegExp(`[^ ] {${longestCell.length + 2 - width}}x$`))
})

it.each([
  { value: 999, text: '999' },
  { value: 12_345.6, text: '12,346' },
  { value: 1_234_567, text: '1,234,567' },
])('formatNumber formats $value as $text', ({ value, text }) => {
  expect(formatNumber(value)).toBe(text)
})
