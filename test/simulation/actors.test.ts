import { beforeEach, describe, expect, it } from 'vitest'
import { type Actor, waitForActors } from './actors.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

describe('every actor ends', () => {
  const sleeper: Actor = { name: 'sleeper', ended: new Promise(() => {}) }
  const worker: Actor = { name: 'worker', ended: Promise.resolve() }

  it('is broken by an actor that hangs', async () => {
    await waitForActors(history, [worker, sleeper], Promise.resolve())

    expect(history.violations).toMatchObject([{ invariant: 'every actor ends' }])
    expect(history.violations[0]?.text).toContain('sleeper did not end')
  })

  it('holds if all actors have ended', async () => {
    await waitForActors(history, [worker], Promise.resolve())

    expect(history.violations).toEqual([])
  })

  it('does not hide the error of an actor', async () => {
    const broken: Actor = { name: 'broken', ended: Promise.reject(new Error('A mistake.')) }

    const waiting = waitForActors(history, [sleeper, broken], new Promise(() => {}))

    await expect(waiting).rejects.toThrow('A mistake.')
  })
})
