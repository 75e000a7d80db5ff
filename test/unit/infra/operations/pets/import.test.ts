import { readdirSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { createForgetfulClient } from '../../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import {
  appendRows,
  createImportingOperator,
  type ImportingOperator,
  newRow,
  newRows,
  toExportedRow,
  toJson,
} from '../../../../fixtures/importing-operator.ts'
import { readJsonLines } from '../../../../fixtures/json-lines.ts'

describeOnEachEngine('importPets', (engine) => {
  let operator: ImportingOperator

  beforeEach(async () => {
    operator = await createImportingOperator(engine)
  })

  describe('with an edited export', () => {
    let changedPet: Pet
    let unchangedPet: Pet

    beforeEach(async () => {
      changedPet = await operator.addPetNamed('Changed')
      unchangedPet = await operator.addPetNamed('Unchanged')
      const [unchangedRow = {}, changedRow = {}] = await operator.exportRows()
      operator.writeRows([unchangedRow, { ...changedRow, name: 'Max' }, newRow('New'), newRow('Newer')])
    })

    it('an import applies each row once though the SDK repeats each write after a lost response', async () => {
      const report = await operator.importFile({}, createForgetfulClient(engine))

      expect(report.text).toBe(operator.addedReport('2 created, 1 changed, 1 unchanged.'))
      expect(report.exitCode).toBeUndefined()
      expect(await operator.colleague.list()).toMatchObject([
        { ...changedPet, name: 'Max' },
        unchangedPet,
        { name: 'New', categoryId: 1n, status: 'available' },
        { name: 'Newer', categoryId: 1n, status: 'available' },
      ])
    })

    it('the audit has each change once though the SDK repeats each write after a lost response', async () => {
      await operator.importFile({}, createForgetfulClient(engine))

      const [max, , first, second] = await operator.colleague.list()
      const change = { action: 'pets import', ids: [`${changedPet.id}`], old: toJson(changedPet), new: toJson(max) }
      const firstCreation = { action: 'pets import', ids: [`${first?.id}`], old: null, new: toJson(first) }
      const secondCreation = { action: 'pets import', ids: [`${second?.id}`], old: null, new: toJson(second) }
      expect(operator.audit.lines).toMatchObject([
        { ...change, outcome: 'begun' },
        { ...change, outcome: 'done' },
        { ...firstCreation, outcome: 'begun' },
        { ...secondCreation, outcome: 'begun' },
        { ...firstCreation, outcome: 'done' },
        { ...secondCreation, outcome: 'done' },
      ])
    })

    it('the result file has the new pets with their ids', async () => {
      await operator.importFile()

      const [, , first, second] = await operator.colleague.list()
      expect(readJsonLines(operator.resultFile)).toMatchObject([toJson(first), toJson(second)])
    })

    it('an import leaves no other file than the result file', async () => {
      await operator.importFile()

      expect(readdirSync(operator.folder).toSorted()).toEqual(['rows.imported-local.jsonl', 'rows.jsonl'])
    })
  })

  describe('with rows that lack versions', () => {
    let two: Pet

    beforeEach(async () => {
      const one = await operator.addPetNamed('One')
      two = await operator.addPetNamed('Two')
      // No pet has the id 7.
      const ids = [Number(one.id), Number(two.id), 7]
      operator.writeRows(ids.map((id) => ({ id, name: 'Mine', categoryId: 1, status: 'sold' })))
    })

    it('an import without --overwrite is rejected', async () => {
      await expect(operator.importFile()).rejects.toThrow(/^Nothing is written\.\nLine 1: version is missing/)
    })

    it('an import with --overwrite changes the pets, and has a conflict for an id without a pet', async () => {
      const report = await operator.importFile({ overwrite: true })

      expect(report.text).toMatch(/^2 changed, 1 conflict\.$/m)
      expect(report.exitCode).toBe(3)
    })

    it('an import with --restore adds a pet under an id without one', async () => {
      await operator.importFile({ overwrite: true })

      const report = await operator.importFile({ overwrite: true, restore: true })

      expect(report.text).toBe('1 restored, 2 unchanged.')
      expect(report.exitCode).toBeUndefined()
      expect(await operator.listNames()).toEqual(['Mine', 'Mine', 'Mine'])
    })

    it('an import with --overwrite changes a pet back that a colleague has changed', async () => {
      await operator.importFile({ overwrite: true, restore: true })
      await operator.colleague.store({ ...two, name: 'Theirs' })

      const report = await operator.importFile({ overwrite: true, restore: true })

      expect(report.text).toBe('1 changed, 2 unchanged.')
      expect(await operator.listNames()).toEqual(['Mine', 'Mine', 'Mine'])
    })

    it('an import with the same options goes on after a failure', async () => {
      appendRows(operator.file, [newRow('New')])
      const options = { overwrite: true, restore: true }
      await operator.importFile(options, operator.createFailingClient(3)).catch(() => undefined)

      const report = await operator.importFile(options)

      expect(report.json).toMatchObject({ created: 1, conflict: 0 })
      expect(await operator.listNames()).toEqual(['Mine', 'Mine', 'Mine', 'New'])
    })
  })

  it('an import with --restore writes nothing if the contract no longer allows a row that was not edited', async () => {
    const pets = ['available', 'adopted'].map((status, index) => ({ id: index + 1, ...newRow('Bella'), status }))
    operator.writeRows(pets.map(toExportedRow))

    await expect(operator.importFile({ restore: true })).rejects.toThrow(
      'Nothing is written.\nLine 2: status must be one of available, pending, sold, not "adopted".',
    )
    expect(await operator.colleague.list()).toEqual([])
  })

  it('an import of a file with an id twice is rejected', async () => {
    const row = { id: 7, name: 'Mine', categoryId: 1, status: 'sold' }
    operator.writeRows([row, newRow('New'), row])

    await expect(operator.importFile({ overwrite: true })).rejects.toThrow('Line 3: the id 7 is in line 1 too.')

    expect(await operator.colleague.list()).toEqual([])
  })

  it('a dry run lists a hundred changes, and counts the others', async () => {
    operator.writeRows(newRows(150))

    const report = await operator.dryRun()

    expect(report.json['changes']).toHaveLength(100)
    expect(report.text).toMatch(/\n50 further changes not listed\.\n150 created\.$/)
  })
})
