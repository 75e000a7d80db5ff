import { beforeEach, describe, expect, it } from 'vitest'
import { ListRules } from './list-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

describe('a list repeats no animal', () => {
  it('is broken by an id that comes twice', () => {
    new ListRules(history.time, history).checkPage([3, 2, 3])

    expect(history.listBroken()).toEqual(['a list repeats no animal'])
  })

  it('holds for different ids', () => {
    new ListRules(history.time, history).checkPage([3, 2, 1])

    expect(history.listBroken()).toEqual([])
  })
})

describe('a list has each animal that did not just change', () => {
  const invariant = 'a list has each animal that did not just change'
  /** The index is behind for less than this. */
  const margin = 6_000

  /** Checks a list that began some time after an animal was stored or removed. */
  const checkListAfter = async (milliseconds: number, isVoid: boolean, ids: readonly number[]) => {
    const rules = new ListRules(history.time, history)
    rules.recordVersion(1, isVoid)
    await history.letPass(milliseconds)
    rules.checkList(ids, history.time.now)
    return history.listBroken()
  }

  it('is broken by an animal that is missing', async () => {
    expect(await checkListAfter(margin + 1, false, [])).toEqual([invariant])
  })

  it('is broken by an animal that was removed', async () => {
    expect(await checkListAfter(margin + 1, true, [1])).toEqual([invariant])
  })

  it('holds for an animal that was just stored', async () => {
    expect(await checkListAfter(margin, false, [])).toEqual([])
  })

  it('holds for an animal that was just removed', async () => {
    expect(await checkListAfter(margin, true, [1])).toEqual([])
  })
})
