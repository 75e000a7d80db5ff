import { beforeEach, describe, expect, it } from 'vitest'
import { type AuditRecord, ChangeAudit } from '../../infra/operations/environment/change-audit.ts'
import type { AuditedChange } from '../../infra/operations/environment/read-audit.ts'
import { KeyAuditRules } from './key-audit-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
let rules: KeyAuditRules
let record: AuditRecord
beforeEach(() => {
  history = new TestHistory()
  rules = new KeyAuditRules(history)
  const environment = { database: undefined as never, tables: { audit: '' } as never }
  record = new ChangeAudit(environment, { who: 'alice' }).draft({
    target: 'key#key_1',
    itemKey: { keyHash: '1' },
    action: 'keys set',
    previous: undefined,
    old: { owner: 'Acme' },
    new: { owner: 'Umbrella' },
  })
})

const write = (owner = 'Umbrella'): void => {
  const before = { keyId: 'key_1', owner: 'Acme' }
  rules.recordWrite({ before, after: { keyId: 'key_1', owner, changeId: record.changeId } })
}

const check = (outcome: AuditedChange['outcome']): readonly string[] => {
  rules.check([{ ...record, outcome }])
  return history.listBroken()
}

describe('the audit has each change of a key once, with what it replaced', () => {
  const invariant = 'the audit has each change of a key once, with what it replaced'

  it('is broken by a write with other values', () => {
    write('Initech')

    expect(check('made')).toEqual([invariant])
  })

  it('is broken by a write without a record', () => {
    write()
    rules.check([])

    expect(history.listBroken()).toEqual([invariant])
  })

  it('is broken by a change that was made twice', () => {
    write()
    write()

    expect(history.listBroken()).toEqual([invariant])
  })

  it('holds for a change with its values', () => {
    write()

    expect(check('made')).toEqual([])
  })
})

describe('the audit has the outcome of each change of a key', () => {
  const invariant = 'the audit has the outcome of each change of a key'

  it('is broken by a change that was made, and that the audit does not have as made', () => {
    write()

    expect(check('not made so far')).toEqual([invariant])
  })

  it('is broken by a change that the audit has as made, and that was not', () => {
    expect(check('made')).toEqual([invariant])
  })

  it('holds for a change that was not made', () => {
    expect(check('not made so far')).toEqual([])
  })
})
