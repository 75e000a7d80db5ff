import { describe, expect, it } from 'vitest'
import { chart } from './chart.ts'
import type { ComparisonRow, Section } from './section.ts'
import { compare } from './statistics.ts'

const row = (request: string, measured: number, floor: number): ComparisonRow => ({
  figure: 'load, ms',
  request,
  ...compare([{ measured, floor }]),
})

const section = (...rows: Section['rows']): Section => ({ title: '', columns: {}, rows })

const widths = (svg: string, name: string): number[] =>
  [...svg.matchAll(new RegExp(`class="${name}" x="150" y="\\d+" width="([\\d.]+)"`, 'g'))].map(([, width]) =>
    Number(width),
  )

describe('the chart of the benchmark', () => {
  it('draws the largest figure over the whole width and the others in proportion', () => {
    const svg = chart([section(row('get', 20, 10), row('list', 40, 30))], 'a machine')
    expect(widths(svg, 'measured')).toEqual([205, 410])
    expect(widths(svg, 'floor')).toEqual([102.5, 307.5])
  })

  it('draws no floor beyond a function that was measured below it', () => {
    const svg = chart([section(row('get', 9, 10))], '')
    expect(widths(svg, 'floor')).toEqual(widths(svg, 'measured'))
  })

  it('says the figures beside the bars, and what machine they are of', () => {
    const svg = chart([section(row('get', 12, 10))], 'a machine <of mine> & others')
    expect(svg).toContain('12 (floor 10), 1.20 x')
    expect(svg).toContain('a machine &lt;of mine&gt; &amp; others')
  })

  it('leaves out tables without a floor', () => {
    expect(chart([section(row('get', 12, 10))], '')).toContain('>get<')
    expect(chart([section({ request: 'get', calls: 1 })], '')).not.toContain('>get<')
  })

  it('has colours of its own for dark pages', () => {
    expect(chart([], '')).toContain('@media(prefers-color-scheme:dark)')
  })
})
