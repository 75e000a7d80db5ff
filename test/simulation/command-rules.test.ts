import { beforeEach, describe, expect, it } from 'vitest'
import { CommandRules, type EndedCommand } from './command-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

const rotation: EndedCommand = { kind: 'keys rotate', who: 'command 1', mustSucceed: true, outcome: 'done' }

describe('a command succeeds once the faults have ended', () => {
  const invariant = 'a command succeeds once the faults have ended'

  const checkEnd = (command: EndedCommand): readonly string[] => {
    new CommandRules(history).recordEnd(command)
    return history.listBroken()
  }

  it('is broken by a command that fails', () => {
    expect(checkEnd({ ...rotation, outcome: 'failed' })).toEqual([invariant])
  })

  it('holds for a command that fails while there are faults', () => {
    expect(checkEnd({ ...rotation, outcome: 'failed', mustSucceed: false })).toEqual([])
  })

  it('holds for a command after another one that was first', () => {
    expect(checkEnd({ ...rotation, outcome: 'conflict' })).toEqual([])
  })
})

describe('each kind of command succeeds at times', () => {
  const checkConflicts = (conflicts: number, successes: number, isSpeculative = false): readonly string[] => {
    const rules = new CommandRules(history)
    for (let count = 0; count < conflicts; count += 1)
      rules.recordEnd({ ...rotation, isSpeculative, outcome: 'conflict' })
    for (let count = 0; count < successes; count += 1) rules.recordEnd(rotation)
    rules.checkAtEnd()
    return history.listBroken()
  }

  it('is broken by twenty commands that all meet a conflict', () => {
    expect(checkConflicts(20, 0)).toEqual(['each kind of command succeeds at times'])
  })

  it('holds if one of them succeeds', () => {
    expect(checkConflicts(20, 1)).toEqual([])
  })

  it('holds if the operators did not know if there was anything to do', () => {
    expect(checkConflicts(20, 0, true)).toEqual([])
  })

  it('holds if there are only a few commands', () => {
    expect(checkConflicts(19, 0)).toEqual([])
  })
})
