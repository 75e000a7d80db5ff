import { beforeEach, describe, expect, it } from 'vitest'
import { lastChange } from '../../infra/operations/pets/pet-table.ts'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { AuditLines } from './audit-lines.ts'
import { runningProcess } from './database.ts'
import { PetAuditRules } from './pet-audit-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

const available: Attributes = { id: 1n, name: 'Bello', categoryId: 2n, status: 'available' }
const adopted: Attributes = { ...available, status: 'adopted' }

/** A command that changes an animal from available to adopted. A test can change parts of it. */
interface PetCommand {
  /** The values before the change, as the audit has them. */
  readonly recordedOld?: Attributes
  /** The item that the command writes. @default adopted */
  readonly written?: Attributes | 'nothing'
  /** Whether the command says that it has changed nothing. */
  readonly fails?: boolean
  /** The edited fields with their new values, if the command is an import. */
  readonly edits?: Attributes
}

/** Runs a command, and checks its audit at the end. @returns the broken invariants */
const checkPetCommand = async (command: PetCommand): Promise<readonly string[]> => {
  const { recordedOld = available, written = adopted, fails = false, edits } = command
  const audit = new AuditLines(history.time)
  const rules = new PetAuditRules(history, audit)
  rules.recordVersion('1', available)
  const opened = audit.open(runningProcess)
  if (edits !== undefined) rules.expectEdits(opened.who, new Map([['1', edits]]))

  const change = { action: 'pets set', ids: ['1'], old: recordedOld, new: adopted }
  const make = async (recorded: object): Promise<void> => {
    if (written !== 'nothing') rules.recordVersion('1', { ...written, [lastChange]: recorded })
    if (fails) throw new Error('The animal was not changed.')
  }
  await history.runToEnd(opened.audit.recordThenMakeAll([{ change, make }]))
  rules.checkAtEnd()
  return history.listBroken()
}

describe('an import changes only what was edited', () => {
  it('is broken by a change of a field that was not edited', async () => {
    expect(await checkPetCommand({ edits: { name: 'Bella' } })).toEqual(['an import changes only what was edited'])
  })

  it('holds for a change of an edited field', async () => {
    expect(await checkPetCommand({ edits: { status: 'adopted' } })).toEqual([])
  })
})

describe('the audit has each change once, with what it replaced', () => {
  const invariant = 'the audit has each change once, with what it replaced'

  it('is broken by other values of an animal', async () => {
    expect(await checkPetCommand({ recordedOld: { ...available, name: 'Rex' } })).toEqual([invariant])
  })

  it('is broken by a write of an animal that has no line', () => {
    const rules = new PetAuditRules(history, new AuditLines(history.time))
    rules.recordVersion('1', { ...adopted, [lastChange]: { who: 'command 1', time: '', action: 'pets set' } })
    rules.checkAtEnd()

    expect(history.listBroken()).toEqual([invariant])
  })

  it('holds for a change of an animal with its values', async () => {
    expect(await checkPetCommand({})).toEqual([])
  })
})

describe('no change that happened is failed in the audit', () => {
  const invariant = 'no change that happened is failed in the audit'

  it('is broken by a change of an animal', async () => {
    expect(await checkPetCommand({ fails: true })).toEqual([invariant])
  })

  it('holds for a command on an animal that has failed', async () => {
    expect(await checkPetCommand({ written: 'nothing', fails: true })).toEqual([])
  })
})

describe('no change is done in the audit that did not happen', () => {
  const invariant = 'no change is done in the audit that did not happen'

  it('is broken by a command on an animal that has written nothing', async () => {
    expect(await checkPetCommand({ written: 'nothing' })).toEqual([invariant])
  })
})
