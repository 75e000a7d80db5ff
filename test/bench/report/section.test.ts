import { describe, expect, it } from 'vitest'
import { byFigure, formatNumber, formatSection } from './section.ts'
import { spread } from './statistics.ts'

describe('a table of the benchmark', () => {
  it('has aligned columns: text from the left, numbers to the right', () => {
    const columns = { request: 'request', ratio: 'ratio' }
    const rows = [
      { request: 'get', ratio: 1 },
      { request: 'create', ratio: 1.25 },
    ]
    expect(formatSection({ title: 'Title', columns, rows })).toBe(
      ['Title', '', 'request  ratio', 'get          1', 'create    1.25'].join('\n'),
    )
  })

  it('shows a spread as the median and the middle half', () => {
    const text = formatSection({ title: '', columns: { load: 'load' }, rows: [{ load: spread([1, 2, 3, 4, 5]) }] })
    expect(text).toContain('3 (2 to 4)')
  })

  it.each([
    [1_234_567, '1,234,567'],
    [123.456, '123'],
    [12.345, '12.3'],
    [1.2345, '1.23'],
  ])('shows no more digits than %d bears', (value, text) => {
    expect(formatNumber(value)).toBe(text)
  })

  it('has the rows of each figure together', () => {
    const comparison = { measured: spread([1]), floor: spread([1]), ratio: spread([1]) }
    const rows = ['load', 'response', 'load'].map((figure, index) => ({ figure, request: `${index}`, ...comparison }))
    expect(byFigure(rows).map(({ request }) => request)).toEqual(['0', '2', '1'])
  })
})
