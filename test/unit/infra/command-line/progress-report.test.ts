import { describe, expect, it } from 'vitest'
import { progressReport } from '../../../../infra/command-line/progress-report.ts'

/** A screen that keeps what is written, and a clock that a test sets. */
const screenOf = (isTTY: boolean) => {
  const written: string[] = []
  let now = 0
  return {
    written,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    report: progressReport({ isTTY, write: (text) => written.push(text) }, () => now),
  }
}

describe('the progress', () => {
  it.each([
    [10_000, 2_500, 40, '[######                  ] 25 %, 2,500 of 10,000 pets, 63/s, 2:00 left'],
    [10_000_000, 10_000, 10, '[                        ] 0 %, 10,000 of 10,000,000 pets, 1,000/s, 2:46:30 left'],
    [undefined, 12_500, 200, '12,500 pets, 63/s'],
  ])('of %s pets, after %i in %i seconds, says how fast it is, and how long it takes', (count, pets, seconds, text) => {
    const { report, written, pass } = screenOf(true)
    report.begin(0, count)
    pass(seconds * 1_000)
    report.advance(pets)
    expect(written.at(-1)).toBe(`\r\u001b[K${text}`)
  })

  it('is one line, redrawn, on a terminal', () => {
    const { report, written, pass } = screenOf(true)
    report.begin(0, 100)
    for (let step = 0; step < 4; step += 1) {
      pass(250)
      report.advance(25)
    }
    report.end()
    expect(written).toHaveLength(6)
    expect(written.slice(0, 5).every((text) => text.startsWith('\r\u001b[K[') && !text.includes('\n'))).toBe(true)
    expect(written[4]).toContain('100 %, 100 of 100 pets, 100/s')
    expect(written[5]).toBe('\n')
  })

  it('is a plain line every five seconds elsewhere, and one at the end', () => {
    const { report, written, pass } = screenOf(false)
    report.begin(50, 100)
    for (let step = 0; step < 10; step += 1) {
      pass(1_000)
      report.advance(5)
    }
    report.end()
    expect(written).toEqual([
      '50 %, 50 of 100 pets, 0/s, time left unknown\n',
      '75 %, 75 of 100 pets, 5/s, 0:05 left\n',
      '100 %, 100 of 100 pets, 5/s\n',
    ])
  })

  it('is nothing where nothing is to be written', () => {
    const { report, written } = screenOf(true)
    report.begin(100, 100)
    report.end()
    expect(written).toEqual([])
  })
})
