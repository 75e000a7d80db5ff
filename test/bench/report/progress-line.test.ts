import { describe, expect, it } from 'vitest'
import { progressLine } from './progress-line.ts'

const shown = (isTTY: boolean): string => {
  const written: string[] = []
  let now = 0
  const { show, end } = progressLine({ isTTY, write: (text) => written.push(text) }, () => now)
  for (const text of ['first', 'second', 'third']) {
    show(text)
    now += 9_000
  }
  end()
  return written.join('')
}

describe('the progress of the benchmark', () => {
  it('is one line of a terminal, gone at the end', () => {
    expect(shown(true)).toBe('\r\u001b[Kfirst\r\u001b[Ksecond\r\u001b[Kthird\r\u001b[K')
  })

  it('is a line now and then in a log', () => {
    expect(shown(false)).toBe('first\nthird\n')
  })
})
