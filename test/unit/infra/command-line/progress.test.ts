import { expect, it, onTestFinished, vi } from 'vitest'
import { progress } from '../../../../infra/command-line/progress.ts'

it('long work on pets is told every five seconds', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const told = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks().useRealTimers())
  const [known, unknown] = [progress(20_000), progress(undefined)]
  for (let second = 0; second < 11; second += 1) {
    vi.advanceTimersByTime(1_000)
    known(200)
    if (second < 5) unknown(200)
  }
  expect(told.mock.calls.flat()).toEqual(['1,000 of 20,000 pets', '1,000 pets', '2,000 of 20,000 pets'])
})
