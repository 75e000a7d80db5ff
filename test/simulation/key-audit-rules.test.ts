import { beforeEach, describe, expect, it } from 'vitest'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { AuditLines } from './audit-lines.ts'
import { runningProcess } from './database.ts'
import { KeyAuditRules } from './key-audit-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

const ownerBefore = { keyId: 'key_1', owner: 'Acme' }
const ownerAfter = { keyId: 'key_1', owner: 'Umbrella' }

/** A command that changes the owner of a key. A test can change parts of it. */
interface KeyCommand {
  /** The values before the change, as the audit has them. */
  readonly recordedOld?: Attributes
  /** The number of writes. @default 1 */
  readonly writes?: number
  /** Whether the command says that it has changed nothing. */
  readonly fails?: boolean
}

/** Runs a command on a key, and checks its audit at the end. @returns the broken invariants */
const checkKeyCommand = async (command: KeyCommand): Promise<readonly string[]> => {
  const { recordedOld = { owner: 'Acme' }, writes = 1, fails = false } = command
  const audit = new AuditLines(history.time)
  const rules = new KeyAuditRules(history, audit)
  const opened = audit.open(runningProcess)
  const change = { action: 'keys edit', ids: ['key_1'], old: recordedOld, new: { owner: 'Umbrella' } }
  const make = async (): Promise<void> => {
    for (let write = 0; write < writes; write += 1) {
      rules.check(opened.who, { before: ownerBefore, after: ownerAfter })
    }
    if (fails) throw new Error('The key was not changed.')
  }
  await history.runToEnd(opened.audit.recordThenMakeAll([{ change, make }]))
  rules.checkAtEnd()
  return history.listBroken()
}

describe('the audit has each change once, with what it replaced', () => {
  const invariant = 'the audit has each change once, with what it replaced'

  it('is broken by other values of a key', async () => {
    expect(await checkKeyCommand({ recordedOld: { owner: 'Stark' } })).toEqual([invariant])
  })

  it('is broken by a change of a key that was made twice', async () => {
    expect(await checkKeyCommand({ writes: 2 })).toEqual([invariant])
  })

  it('is broken by a write of a key that has no line', () => {
    new KeyAuditRules(history, new AuditLines(history.time)).check('command 1', {
      before: ownerBefore,
      after: ownerAfter,
    })

    expect(history.listBroken()).toEqual([invariant])
  })

  it('holds for a change of a key with its values', async () => {
    expect(await checkKeyCommand({})).toEqual([])
  })
})

describe('no change that happened is failed in the audit', () => {
  const invariant = 'no change that happened is failed in the audit'

  it('is broken by a change of a key', async () => {
    expect(await checkKeyCommand({ fails: true })).toEqual([invariant])
  })

  it('holds for a command on a key that has failed', async () => {
    expect(await checkKeyCommand({ writes: 0, fails: true })).toEqual([])
  })
})

describe('no change is done in the audit that did not happen', () => {
  const invariant = 'no change is done in the audit that did not happen'

  it('is broken by a command on a key that has written nothing', async () => {
    expect(await checkKeyCommand({ writes: 0 })).toEqual([invariant])
  })
})
