import { beforeEach, describe, expect, it } from 'vitest'
import { removed } from '../../shared/pets/pet-store.ts'
import { type EndedImport, ImportRules } from './import-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

describe('an import that has ended has made each edit, or has reported a conflict', () => {
  const invariant = 'an import that has ended has made each edit, or has reported a conflict'
  const edits = new Map([['1', { status: 'sold' }]])
  const sold = { id: 1n, status: 'sold' }
  const pending = { id: 1n, status: 'pending' }

  const checkImport = (ended: Partial<EndedImport>, versionsSinceExport: readonly object[]): readonly string[] => {
    const time = { now: 1_000 }
    const rules = new ImportRules(time, history)
    rules.recordVersion('1', { id: 1n, status: 'available' })
    time.now = 2_000
    for (const version of versionsSinceExport) rules.recordVersion('1', { ...version })
    rules.checkEnd({
      exportedAt: 2_000,
      edits,
      overwrite: false,
      newNames: [],
      conflictIds: new Set(),
      resultNames: new Set(),
      ...ended,
    })
    return history.listBroken()
  }

  it('is broken by an edit that was not made', () => {
    expect(checkImport({}, [])).toEqual([invariant])
  })

  it('is broken by a change of somebody else that is no conflict', () => {
    expect(checkImport({}, [pending])).toEqual([invariant])
  })

  it('is broken by a conflict with nobody', () => {
    expect(checkImport({ conflictIds: new Set(['1']) }, [])).toEqual([invariant])
  })

  it('is broken by a conflict in spite of --overwrite', () => {
    expect(checkImport({ conflictIds: new Set(['1']), overwrite: true }, [pending])).toEqual([invariant])
  })

  it('is broken by a new animal that the result file lacks', () => {
    expect(checkImport({ newNames: ['Rex'], resultNames: new Set(['Bella']) }, [sold])).toEqual([invariant])
  })

  it('holds for an edit that was made', () => {
    expect(checkImport({ newNames: ['Rex'], resultNames: new Set(['Rex']) }, [sold])).toEqual([])
  })

  it('holds for an edit after which somebody else has changed the animal again', () => {
    expect(checkImport({}, [sold, pending])).toEqual([])
  })

  it('holds for a conflict with a change of somebody else', () => {
    expect(checkImport({ conflictIds: new Set(['1']) }, [pending])).toEqual([])
  })

  it('holds for an animal that was removed, with --overwrite too', () => {
    expect(checkImport({ conflictIds: new Set(['1']), overwrite: true }, [{ id: 1n, [removed]: true }])).toEqual([])
  })
})
