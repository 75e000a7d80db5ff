import { expect, it } from 'vitest'
import { formatPrintableJson, makeLinesPrintable, makePrintable } from '../../../../infra/command-line/printable.ts'

/** Texts, each with the code of its Unicode category, such as Cc, and what the functions make of it. */
const texts = [
  { name: 'an escape sequence (Cc)', text: '\u001b[2J', escaped: '\\u{1b}[2J', inJson: '\\u001b[2J' },
  { name: 'text from right to left (Cf)', text: '\u202e', escaped: '\\u{202e}', inJson: '\\u202e' },
  { name: 'an invisible letter (Cf)', text: '\u{e0041}', escaped: '\\u{e0041}', inJson: '\\udb40\\udc41' },
  { name: 'a line separator (Zl)', text: '\u2028', escaped: '\\u{2028}', inJson: '\\u2028' },
  { name: 'a paragraph separator (Zp)', text: '\u2029', escaped: '\\u{2029}', inJson: '\\u2029' },
  { name: 'a lone surrogate (Cs)', text: '\ud800', escaped: '\\u{d800}', inJson: '\\ud800' },
  {
    name: 'nothing in text that a terminal shows',
    text: 'Zoë 的 “家”, 🐕 a\\u{1b}',
    escaped: 'Zoë 的 “家”, 🐕 a\\u{1b}',
    inJson: 'Zoë 的 “家”, 🐕 a\\\\u{1b}',
  },
]

it.each(texts)('makePrintable escapes $name', ({ text, escaped }) => {
  expect(makePrintable(`a${text}b`)).toBe(`a${escaped}b`)
})

it.each(texts)('formatPrintableJson escapes $name, and keeps the value of the JSON', ({ text, inJson }) => {
  const json = formatPrintableJson({ [text]: [text] })

  expect(json).toBe(`{"${inJson}":["${inJson}"]}`)
  expect(JSON.parse(json)).toEqual({ [text]: [text] })
})

it('makeLinesPrintable keeps line feeds and tabs', () => {
  expect(makeLinesPrintable('Error:\n\tat \u001b[31mhere')).toBe('Error:\n\tat \\u{1b}[31mhere')
})

it('formatPrintableJson keeps the line feeds of an indentation', () => {
  expect(formatPrintableJson({ a: '\n\u009b', b: 1 }, 2)).toBe('{\n  "a": "\\n\\u009b",\n  "b": 1\n}')
})
