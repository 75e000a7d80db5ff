import { describe, expect, it } from 'vitest'
import { isPrintable, printable, printableJson, printableLines } from '../../../../infra/command-line/printable.ts'

/** By their Unicode category. */
const harmful = {
  'Cc, an escape sequence': ['\u001b[2J', '\\u{1b}[2J', '\\u001b[2J'],
  'Cc, the escape sequence of one character': ['\u009b2J', '\\u{9b}2J', '\\u009b2J'],
  'Cc, a new line': ['\n', '\\u{a}', '\\n'],
  'Cc, delete': ['\u007f', '\\u{7f}', '\\u007f'],
  'Cf, text from right to left': ['\u202e', '\\u{202e}', '\\u202e'],
  'Cf, an invisible letter': ['\u{e0041}', '\\u{e0041}', '\\udb40\\udc41'],
  'Zl, a line separator': ['\u2028', '\\u{2028}', '\\u2028'],
  'Zp, a paragraph separator': ['\u2029', '\\u{2029}', '\\u2029'],
  'Cs, a lone surrogate': ['\ud800', '\\u{d800}', '\\ud800'],
} as const

describe('text from outside, on a terminal', () => {
  it.each(Object.entries(harmful))('has %s escaped', (_category, [character, escaped]) => {
    expect(isPrintable(`a${character}b`)).toBe(false)
    expect(printable(`a${character}b`)).toBe(`a${escaped}b`)
  })

  it.each(Object.entries(harmful))(
    'has %s escaped in JSON, with the same value',
    (_category, [character, , escaped]) => {
      const json = printableJson({ [character]: [character] })
      expect(json).toBe(`{"${escaped}":["${escaped}"]}`)
      expect(JSON.parse(json)).toEqual({ [character]: [character] })
    },
  )

  it.each(['Acme', 'Zoë 的 家 – “Tierheim”', '🐕', 'a\\u{1b}'])('is left as it is: %s', (text) => {
    expect(isPrintable(text)).toBe(true)
    expect([printable(text), printableLines(text)]).toEqual([text, text])
  })

  it('keeps the lines of what has several, and of JSON that is indented', () => {
    expect(printableLines('Error:\n\tat \u001b[31mhere')).toBe('Error:\n\tat \\u{1b}[31mhere')
    expect(printableJson({ a: '\n\u009b' }, 2)).toBe('{\n  "a": "\\n\\u009b"\n}')
  })

  it('has every integer exactly in JSON, as the id and the category of a pet', () => {
    expect(printableJson({ id: 2n ** 63n - 1n })).toBe('{"id":9223372036854775807}')
  })
})
