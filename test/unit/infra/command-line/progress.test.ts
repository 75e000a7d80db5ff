import { expect, it, onTestFinished, vi } from 'vitest'
import { createPacer, startProgress } from '../../../../infra/command-line/progress.ts'

/**
 * Counts 1,200 pets in twelve seconds. @returns the lines on standard error
 *
 * @param isTerminal value of `process.stderr.isTTY`, which Node leaves undefined where there is no terminal
 */
const countPets = (isTerminal: boolean | undefined): readonly unknown[] => {
  const lines: unknown[] = []
  vi.spyOn(console, 'error').mockImplementation((line) => lines.push(line))
  vi.useFakeTimers()
  const { isTTY } = process.stderr
  Object.defineProperty(process.stderr, 'isTTY', { value: isTerminal, configurable: true })
  onTestFinished(() => {
    Object.defineProperty(process.stderr, 'isTTY', { value: isTTY, configurable: true })
    vi.useRealTimers()
  })
  const progress = startProgress('pets', 1_200)
  for (let second = 0; second < 12; second += 1) {
    vi.advanceTimersByTime(1_000)
    progress.count(100)
  }
  return lines
}

it('progress on a terminal is one line each five seconds', () => {
  expect(countPets(true)).toEqual(['500 of 1,200 pets', '1,000 of 1,200 pets'])
})

it('progress without a terminal is quiet', () => {
  expect(countPets(undefined)).toEqual([])
})

it('a pacer lets items begin at its rate, and does not catch up after a slow batch', async () => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const start = performance.now()
  // A batch of 20 items takes at least 200 ms at 100 items a second. The second batch takes 500 ms.
  const waitToBegin = createPacer(100)
  const begins: number[] = []
  const processBatches = async (): Promise<void> => {
    for (const duration of [10, 500, 10, 10]) {
      await waitToBegin(20)
      begins.push(performance.now() - start)
      vi.advanceTimersByTime(duration)
    }
  }
  const processed = processBatches()
  await vi.advanceTimersByTimeAsync(1_000)
  await processed

  expect(begins).toEqual([0, 200, 700, 900])
})
