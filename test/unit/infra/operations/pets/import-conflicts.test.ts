import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { createInterceptingClient } from '../../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import {
  createImportingOperator,
  type ImportingOperator,
  newRow,
  toExportedRow,
  toJson,
} from '../../../../fixtures/importing-operator.ts'
import { readJsonLines } from '../../../../fixtures/json-lines.ts'

describeOnEachEngine('importPets', (engine) => {
  let operator: ImportingOperator

  beforeEach(async () => {
    operator = await createImportingOperator(engine)
  })

  describe('with pets that a colleague has changed since the export', () => {
    let own: Pet
    let both: Pet
    let gone: Pet
    let removed: Pet
    let sold: Pet
    let conflictFile: string

    beforeEach(async () => {
      conflictFile = join(operator.folder, 'rows.conflicts-local.jsonl')
      own = await operator.addPetNamed('Own')
      both = await operator.addPetNamed('Both')
      gone = await operator.addPetNamed('Gone')
      removed = await operator.addPetNamed('Removed')
      sold = await operator.addPetNamed('Sold')
      const [soldRow = {}, removedRow = {}, goneRow = {}, bothRow = {}, ownRow = {}] = await operator.exportRows()
      operator.writeRows([
        soldRow,
        removedRow,
        { ...goneRow, name: 'Mine' },
        { ...bothRow, name: 'Also mine' },
        { ...ownRow, name: 'Mine' },
        newRow('New'),
      ])
      await operator.colleague.store({ ...both, status: 'sold' })
      await operator.colleague.store({ ...sold, status: 'sold' })
      await operator.colleague.remove(gone.id)
      await operator.colleague.remove(removed.id)
    })

    const expectConflicts = () => [
      { line: 3, outcome: 'conflict', old: gone, theirs: undefined, yours: { ...gone, name: 'Mine' } },
      {
        line: 4,
        outcome: 'conflict',
        old: both,
        theirs: { ...both, status: 'sold' },
        yours: { ...both, name: 'Also mine' },
      },
    ]

    it('a dry run lists the conflicts and the changes', async () => {
      const report = await operator.dryRun()

      expect(report).toMatchObject({
        json: {
          unchanged: 2,
          changes: [
            ...expectConflicts(),
            { line: 5, outcome: 'changed', old: own, new: { ...own, name: 'Mine' } },
            { line: 6, outcome: 'created', new: { name: 'New', categoryId: 1n, status: 'available' } },
          ],
        },
        exitCode: 3,
      })
    })

    it('a dry run writes neither a pet nor a file', async () => {
      const petsBefore = await operator.colleague.list()

      await operator.dryRun()

      expect(await operator.colleague.list()).toEqual(petsBefore)
      expect(readdirSync(operator.folder)).toEqual(['rows.jsonl'])
    })

    it('rows that were not edited ask for nothing, and the other rows are applied', async () => {
      const report = await operator.importFile()

      expect(report).toMatchObject({
        json: { created: 1, changed: 1, unchanged: 2, conflict: 2, changes: expectConflicts(), conflictFile },
        exitCode: 3,
      })
      expect(await operator.colleague.list()).toMatchObject([
        { ...own, name: 'Mine' },
        { ...both, status: 'sold' },
        { ...sold, status: 'sold' },
        { name: 'New' },
      ])
    })

    it('the file of conflicts has what was edited and what others have changed', async () => {
      await operator.importFile()

      expect(readJsonLines(conflictFile)).toMatchObject([
        { ...toJson(gone), name: 'Mine', conflict: 'no pet has the id now: an import with --restore adds it' },
        {
          ...toJson(both),
          name: 'Also mine',
          status: 'sold',
          conflict: 'somebody else has changed the pet; status was "available", is "sold"',
        },
      ])
    })

    it('an import of the file of conflicts makes the edits, and keeps what others have changed', async () => {
      await operator.importFile()

      const report = await operator.importFile({ file: conflictFile, restore: true })

      expect(report.text).toBe('1 changed, 1 restored.')
      expect(await operator.colleague.list()).toMatchObject([
        { ...own, name: 'Mine' },
        { ...both, name: 'Also mine', status: 'sold' },
        { ...gone, name: 'Mine' },
        { ...sold, status: 'sold' },
        { name: 'New' },
      ])
    })

    it('conflicts of another import get a file of their own', async () => {
      await operator.importFile()

      const report = await operator.importFile({ file: conflictFile })

      expect(report.json['conflictFile']).toBe(join(operator.folder, 'rows.conflicts-local-2.jsonl'))
    })

    it('an import with --overwrite leaves the pets of rows that were not edited', async () => {
      const report = await operator.importFile({ overwrite: true })

      expect(report.json).toMatchObject({ changed: 2, unchanged: 2, conflict: 1 })
      expect(await operator.colleague.list()).toMatchObject([
        { ...own, name: 'Mine' },
        { ...both, name: 'Also mine', status: 'sold' },
        { ...sold, status: 'sold' },
        { name: 'New' },
      ])
    })

    it('an import with --restore adds removed pets again, and leaves the others', async () => {
      const report = await operator.importFile({ restore: true })

      expect(report.json).toMatchObject({ changed: 1, restored: 2, unchanged: 1, conflict: 1 })
      expect(await operator.colleague.list()).toMatchObject([
        { ...own, name: 'Mine' },
        { ...both, status: 'sold' },
        { ...gone, name: 'Mine' },
        removed,
        { ...sold, status: 'sold' },
        { name: 'New' },
      ])
    })

    it('an import with --restore and --overwrite brings back each pet as its row has it', async () => {
      const report = await operator.importFile({ restore: true, overwrite: true })

      expect(report.json).toMatchObject({ changed: 3, restored: 2, conflict: 0 })
      expect(await operator.colleague.list()).toMatchObject([
        { ...own, name: 'Mine' },
        { ...both, name: 'Also mine' },
        { ...gone, name: 'Mine' },
        removed,
        sold,
        { name: 'New' },
      ])
    })

    it('an import of more rows than are looked up one by one restores the same pets', async () => {
      const rows = readJsonLines(operator.file)
      // These rows have no versions.
      const otherRows = Array.from({ length: 10_000 }, (_, index) => ({
        ...newRow('Other'),
        status: 'sold',
        id: index + 1,
      }))
      operator.writeRows([...rows, ...otherRows])

      const report = await operator.dryRun({ restore: true, overwrite: true })

      expect(report.json).toMatchObject({ created: 1, changed: 3, restored: 10_002, conflict: 0, unlisted: 9_906 })
    })

    it('an import with --restore of more rows than are looked up one by one makes the same changes', async () => {
      const rows = readJsonLines(operator.file)
      const otherPets = Array.from({ length: 10_000 }, (_, index) => ({
        id: index + 1,
        ...newRow('Other'),
        status: 'sold',
      }))
      operator.writeRows([...rows, ...otherPets.map(toExportedRow)])

      const report = await operator.dryRun({ restore: true })

      expect(report.json).toMatchObject({ created: 1, changed: 1, restored: 10_002, unchanged: 1, conflict: 1 })
    })
  })

  describe('with a pet that a colleague changes at the same moment', () => {
    let mine: Pet
    let other: Pet

    /** Creates a client whose writes wait until the colleague has changed the other pet. */
    const createRacingClient = () => {
      let change: Promise<void> | undefined
      return createInterceptingClient(engine, 'PutItem', async () => {
        change ??= operator.colleague.store({ ...other, name: 'Theirs' })
        await change
      })
    }

    beforeEach(async () => {
      mine = await operator.addPetNamed('Mine')
      other = await operator.addPetNamed('Other')
      const [otherRow = {}, mineRow = {}] = await operator.exportRows()
      operator.writeRows([
        { ...otherRow, status: 'sold' },
        { ...mineRow, status: 'sold' },
      ])
    })

    it('an import reports a conflict instead of overwriting the change of the colleague', async () => {
      const report = await operator.importFile({}, createRacingClient())

      expect(report.text).toMatch(/^1 changed, 1 conflict\.$/m)
      expect(report.exitCode).toBe(3)
      expect(await operator.colleague.list()).toEqual([
        { ...mine, status: 'sold' },
        { ...other, name: 'Theirs' },
      ])
    })

    it('the audit says that the change of the import was not made', async () => {
      await operator.importFile({}, createRacingClient())

      expect(operator.audit.lines).toMatchObject([
        { ids: [`${other.id}`], outcome: 'begun' },
        { ids: [`${mine.id}`], outcome: 'begun' },
        { ids: [`${other.id}`], outcome: 'failed', reason: 'changed meanwhile' },
        { ids: [`${mine.id}`], outcome: 'done' },
      ])
    })

    it('the audit has the value that an import with --overwrite has overwritten', async () => {
      await operator.importFile({ overwrite: true }, createRacingClient())

      const first = { old: { name: 'Other' }, new: { name: 'Other', status: 'sold' } }
      const second = { old: { name: 'Theirs' }, new: { name: 'Theirs', status: 'sold' } }
      expect(operator.audit.lines.filter(({ ids }) => ids[0] === `${other.id}`)).toMatchObject([
        { ...first, outcome: 'begun' },
        { ...first, outcome: 'failed', reason: 'changed meanwhile' },
        { ...second, outcome: 'begun' },
        { ...second, outcome: 'done' },
      ])
    })
  })
})
