import { expect, it } from 'vitest'
import { workThrough } from '../../../../infra/command-line/work-through.ts'

const items = Array.from({ length: 200 }, (_, index) => index)

async function* later(): AsyncGenerator<number> {
  yield* items
}

it.each([
  ['a list', () => items],
  ['what is still being read', later],
])('%s is worked through once, some items at a time', async (_what, source) => {
  const worked: number[] = []
  let [now, most] = [0, 0]
  await workThrough(source(), async (item) => {
    now += 1
    most = Math.max(most, now)
    await new Promise(setImmediate)
    now -= 1
    worked.push(item)
  })
  expect(worked.toSorted((one, other) => one - other)).toEqual(items)
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThan(items.length)
})

it('after a failure no item is begun, those under way end, and the failure is thrown', async () => {
  const [begun, ended]: [number[], number[]] = [[], []]
  const work = workThrough(later(), async (item) => {
    begun.push(item)
    await new Promise(setImmediate)
    if (item === 5) throw new Error('Number five failed.')
    ended.push(item)
  })
  await expect(work).rejects.toThrow('Number five failed.')
  expect(begun.length).toBeLessThan(items.length)
  expect(ended).toEqual(begun.filter((item) => item !== 5))
})

it('after a failure no item is begun, however slow the rate is', async () => {
  const begun: number[] = []
  const work = async (item: number): Promise<void> => {
    begun.push(item)
    throw new Error('It failed.')
  }
  await expect(workThrough(items, work, { perSecond: 0.001 })).rejects.toThrow('It failed.')
  expect(begun).toEqual([0])
})

it('a source that fails ends the work', async () => {
  const failing = async function* () {
    yield 1
    throw new Error('Line 2 cannot be read.')
  }
  await expect(workThrough(failing(), async () => {})).rejects.toThrow('Line 2 cannot be read.')
})

it('a rate is kept to, and after an interruption no item is begun, however slow the rate is', async () => {
  const begun = performance.now()
  await workThrough(items.slice(0, 11), async () => {}, { perSecond: 100 })
  expect(performance.now() - begun).toBeGreaterThan(95)
  const interruption = new AbortController()
  const worked: number[] = []
  const work = workThrough(items, async (item) => worked.push(item), { perSecond: 0.001, signal: interruption.signal })
  await expect.poll(() => worked).toEqual([0])
  interruption.abort()
  await work
  expect(worked).toEqual([0])
})
