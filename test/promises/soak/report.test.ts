import { describe, expect, test } from 'vitest'
import { Findings } from './findings.ts'
import { type Figure, judge } from './report.ts'

const mebibyte = 1024 * 1024

const someResponses = (): Findings => {
  const findings = new Findings('')
  findings.count('list 200')
  return findings
}

/** A figure that begins at 1,000 MiB and grows evenly, in samples of ten minutes. */
const growing = (figure: Figure, mebibytes: number) =>
  new Map([
    [
      figure,
      Array.from({ length: 61 }, (_, at) => ({ at: at * 10, value: (1_000 + (at * mebibytes) / 60) * mebibyte })),
    ],
  ])

const steady = growing('heap, main thread', 1)

describe('A report', () => {
  test('is well where nothing grows and no response was wrong', () => {
    expect(judge(10, someResponses(), steady).isWell).toBe(true)
  })

  test('is not where a response was wrong, where none came, or where nothing was measured', () => {
    const findings = someResponses()
    findings.fault('got 500')
    expect(judge(10, findings, steady).isWell).toBe(false)
    expect(judge(10, new Findings(''), steady).isWell).toBe(false)
    expect(judge(10, someResponses(), new Map()).isWell).toBe(false)
  })

  test.each([
    'resident memory',
    'heap, main thread',
    'heaps, threads',
    'open files',
    'sockets',
    'temporary files',
  ] as const)('is not where this grows: %s', (figure) => {
    expect(judge(10, someResponses(), growing(figure, 500)).isWell).toBe(false)
  })

  test('of less than ten minutes does not judge memory that has garbage in it', () => {
    const figures = new Map([...steady, ...growing('heaps, threads', 500)])
    const report = judge(9, someResponses(), figures)
    expect(report.figures.map(({ verdict }) => verdict)).toEqual(['steady', 'too short to tell'])
    expect(report.isWell).toBe(true)
  })
})
