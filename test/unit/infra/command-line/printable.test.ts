import { expect, it } from 'vitest'
import { printable, printableJson, printableLines } from '../../../../infra/command-line/printable.ts'

it.each([
  ['Cc, an escape sequence', '\u001b[2J', '\\u{1b}[2J', '\\u001b[2J'],
  ['Cc, the escape sequence of one character', '\u009b2J', '\\u{9b}2J', '\\u009b2J'],
  ['Cc, a new line', '\n', '\\u{a}', '\\n'],
  ['Cf, text from right to left', '\u202e', '\\u{202e}', '\\u202e'],
  ['Cf, an invisible letter', '\u{e0041}', '\\u{e0041}', '\\udb40\\udc41'],
  ['Zl, a line separator', '\u2028', '\\u{2028}', '\\u2028'],
  ['Zp, a paragraph separator', '\u2029', '\\u{2029}', '\\u2029'],
  ['Cs, a lone surrogate', '\ud800', '\\u{d800}', '\\ud800'],
  ['what it shows', 'Zoë 的 “家”, 🐕 a\\u{1b}', 'Zoë 的 “家”, 🐕 a\\u{1b}', 'Zoë 的 “家”, 🐕 a\\\\u{1b}'],
])('%s (%j) is escaped where a terminal cannot show it, in JSON with the same value', (_, text, escaped, inJson) => {
  expect(printable(`a${text}b`)).toBe(`a${escaped}b`)
  const json = printableJson({ [text]: [text] })
  expect(json).toBe(`{"${inJson}":["${inJson}"]}`)
  expect(JSON.parse(json)).toEqual({ [text]: [text] })
})

it('text and JSON of several lines keep them, and every integer is exact', () => {
  expect(printableLines('Error:\n\tat \u001b[31mhere')).toBe('Error:\n\tat \\u{1b}[31mhere')
  expect(printableJson({ a: '\n\u009b', id: 2n ** 63n - 1n }, 2)).toBe(
    '{\n  "a": "\\n\\u009b",\n  "id": 9223372036854775807\n}',
  )
})
