import { expect, it, onTestFinished, vi } from 'vitest'
import { allEnded, interruptible, progress, workThrough } from '../../../../infra/command-line/long-work.ts'
import { interruptHere } from '../operations/running-here.ts'

const items = Array.from({ length: 250 }, (_, index) => index)

async function* later(failure?: Error): AsyncGenerator<number> {
  yield* items
  if (failure !== undefined) throw failure
}

type Batch = readonly number[]

/** Works through items as a command does. */
const run = (source: Iterable<number> | AsyncIterable<number>, work: (batch: Batch) => unknown, perSecond?: number) =>
  interruptible(
    () => 'Go on.',
    (signal) => workThrough(source, async (batch) => work(batch), { signal, perSecond, advance: () => undefined }),
  )

it('items are worked through once, a hundred at a time, and no signal is listened for afterwards', async () => {
  const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name))
  const before = listeners()
  for (const source of [items, later()]) {
    const batches: Batch[] = []
    await run(source, (batch) => batches.push(batch))
    expect([batches.map(({ length }) => length), batches.flat()]).toEqual([[100, 100, 50], items])
  }
  expect(listeners()).toEqual(before)
})

it('what fails, work or its source, ends it, and says how to go on', async () => {
  const failure = new Error('socket hang up')
  const work = vi.fn().mockRejectedValueOnce(failure)
  await expect(run(items, work)).rejects.toThrow(/socket hang up .* Go on\.$/)
  expect(work).toHaveBeenCalledOnce()
  await expect(run(later(failure), work)).rejects.toThrow(/socket hang up .* Go on\.$/)
})

it('a failure is thrown when all others have ended', async () => {
  const ended: number[] = []
  const work = async (item: number): Promise<void> => {
    if (item === 5) throw new Error('Number five failed.')
    await new Promise(setImmediate)
    ended.push(item)
  }
  await expect(allEnded(items.map(work))).rejects.toThrow('Number five failed.')
  expect(ended).toHaveLength(249)
})

it('a rate is kept to, and an interruption ends it after a batch, however slow the rate is', async () => {
  const begun = performance.now()
  await run(items.slice(0, 11), () => undefined, 10)
  expect(performance.now() - begun).toBeGreaterThan(995)
  const worked = vi.fn((_batch: Batch) => void setTimeout(interruptHere, 10))
  const interrupted = { message: 'Interrupted. Go on.', exitCode: 130 }
  await expect(run(items, worked, 0.001)).rejects.toMatchObject(interrupted)
  expect(worked.mock.calls).toEqual([[[0]]])
})

it('long work is told every five seconds', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const told = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks().useRealTimers())
  const [known, unknown] = [progress('pets', 20_000), progress('keys')]
  for (let second = 0; second < 11; second += 1) {
    vi.advanceTimersByTime(1_000)
    known(200)
    if (second < 5) unknown(200)
  }
  expect(told.mock.calls.flat()).toEqual(['1,000 of 20,000 pets', '1,000 keys', '2,000 of 20,000 pets'])
})
