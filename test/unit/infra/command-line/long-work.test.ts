import { expect, it, onTestFinished, vi } from 'vitest'
import {
  processInBatches,
  runInterruptibly,
  startProgress,
  waitForAll,
} from '../../../../infra/command-line/long-work.ts'
import { interruptCommand } from '../../../fixtures/commands.ts'

const items = Array.from({ length: 250 }, (_, index) => index)

/** Works through items as a command does. */
const run = (work: (batch: readonly number[]) => unknown, some = items, perSecond?: number) =>
  runInterruptibly(
    () => 'Go on.',
    (signal) => processInBatches('pets', some, async (batch) => work(batch), { signal, perSecond }),
  )

it('work that fails ends it after its batch, and says how to go on; no signal is listened for any more', async () => {
  const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name))
  const before = listeners()
  const ended: number[] = []
  const work = async (item: number): Promise<void> => {
    if (item === 5) throw new Error('socket hang up')
    await new Promise(setImmediate)
    ended.push(item)
  }
  await expect(run((batch) => waitForAll(batch.map(work)))).rejects.toThrow(/socket hang up .* Go on\.$/)
  expect([ended.length, listeners()]).toEqual([99, before])
})

it('a rate is kept to, and an interruption ends it after a batch, however slow the rate is', async () => {
  const begun = performance.now()
  await run(() => undefined, items.slice(0, 11), 10)
  expect(performance.now() - begun).toBeGreaterThan(995)
  const work = vi.fn((_batch: readonly number[]) => void setTimeout(interruptCommand, 10))
  await expect(run(work, items, 1)).rejects.toMatchObject({ message: 'Interrupted. Go on.', exitCode: 130 })
  expect(work.mock.calls).toEqual([[[0]]])
})

it('long work is told every five seconds', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const told = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks().useRealTimers())
  const [known, unknown] = [startProgress('pets', 20_000), startProgress('keys')]
  for (let second = 0; second < 11; second += 1) {
    vi.advanceTimersByTime(1_000)
    known(200)
    if (second < 5) unknown(200)
  }
  expect(told.mock.calls.flat()).toEqual(['1,000 of 20,000 pets', '1,000 keys', '2,000 of 20,000 pets'])
})
