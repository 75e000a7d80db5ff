import { expect, it, onTestFinished, vi } from 'vitest'
import { allEnded, interruptible, progress, workThrough } from '../../../../infra/command-line/long-work.ts'
import { interruptHere } from '../operations/running-here.ts'

const items = Array.from({ length: 250 }, (_, index) => index)

async function* later(): AsyncGenerator<number> {
  yield* items
}

/** Works through items as a command does. */
const run = (
  source: Parameters<typeof workThrough<number>>[0],
  work: (batch: readonly number[]) => unknown,
  perSecond?: number,
) =>
  interruptible(
    () => 'Go on.',
    (signal) => workThrough(source, async (batch) => work(batch), { signal, perSecond, advance: () => undefined }),
  )

const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name))

it.each([
  ['a list', () => items],
  ['what is still being read', later],
])(
  '%s is worked through once, a hundred items at a time, and no signal is listened for any more',
  async (_what, source) => {
    const [before, batches]: [number[], (readonly number[])[]] = [listeners(), []]
    await run(source(), (batch) => batches.push(batch))
    expect([batches.map(({ length }) => length), batches.flat(), listeners()]).toEqual([[100, 100, 50], items, before])
  },
)

it.each<[string, () => AsyncIterable<number> | Iterable<number>, (batch: readonly number[]) => unknown]>([
  ['work', later, () => Promise.reject(new Error('socket hang up'))],
  [
    'a source',
    async function* () {
      yield* items.slice(0, 100)
      throw new Error('socket hang up')
    },
    () => undefined,
  ],
])('%s that fails ends it, and says how to go on', async (_what, source, work) => {
  const worked = vi.fn(work)
  await expect(run(source(), worked)).rejects.toThrow(/socket hang up .* Go on\.$/)
  expect(worked).toHaveBeenCalledOnce()
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
  await run(items.slice(0, 11), () => undefined, 100 / 10)
  expect(performance.now() - begun).toBeGreaterThan(995)
  const worked = vi.fn((_batch: readonly number[]) => void setTimeout(interruptHere, 10))
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
