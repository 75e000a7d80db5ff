import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { importPets } from '../../../../../infra/operations/pets/import.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import {
  appendRows,
  createImportingOperator,
  type ImportingOperator,
  newRow,
  newRows,
} from '../../../../fixtures/importing-operator.ts'
import { readJsonLines } from '../../../../fixtures/json-lines.ts'

describeOnEachEngine('importPets', (engine) => {
  let operator: ImportingOperator

  beforeEach(async () => {
    operator = await createImportingOperator(engine)
  })

  describe('with a file that was imported before', () => {
    beforeEach(async () => {
      operator.writeRows(newRows(1))
      await operator.importFile()
    })

    it('an import is rejected with both ways to add rows', async () => {
      await expect(operator.importFile()).rejects.toThrow(
        /rows\.imported-local\.jsonl is there: .* append .* with --out\.$/,
      )
      expect(await operator.listNames()).toEqual(['New 0'])
    })

    it('a dry run is rejected too', async () => {
      await expect(operator.dryRun()).rejects.toThrow('rows.imported-local.jsonl is there')
    })

    it('an import of the result file adds a row that was appended to it', async () => {
      appendRows(operator.resultFile, [newRow('Appended')])

      const report = await operator.importFile({ file: operator.resultFile })

      expect(report.text).toMatch(/^1 created, 1 unchanged\.$/m)
      expect(await operator.listNames()).toEqual(['Appended', 'New 0'])
    })

    it('an import of the result file is rejected if its appended row was imported before', async () => {
      appendRows(operator.resultFile, [newRow('Appended')])
      await operator.importFile({ file: operator.resultFile })

      const repeated = operator.importFile({ file: operator.resultFile })

      await expect(repeated).rejects.toThrow('rows.imported-local.imported-local.jsonl is there')
      expect(await operator.listNames()).toEqual(['Appended', 'New 0'])
    })

    it('an import into another data folder, which is another environment, adds all rows', async () => {
      const environment = { ...operator.createEnvironment(), dataFolder: '/elsewhere' }

      const report = await importPets(environment, operator.audit, { file: operator.file })

      expect(report.json['created']).toBe(1)
      expect(await operator.listNames()).toEqual(['New 0', 'New 0'])
    })

    it('an import with --out adds all rows once more', async () => {
      const report = await operator.importFile({ out: join(operator.folder, 'again.csv') })

      expect(report.text).toMatch(/^1 created\.$/m)
      expect(await operator.listNames()).toEqual(['New 0', 'New 0'])
    })
  })

  it('one of two imports of the same file at the same moment is rejected, and each pet is added once', async () => {
    operator.writeRows(newRows(150))

    const outcomes = await Promise.allSettled([operator.importFile(), operator.importFile()])

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await operator.colleague.list()).toHaveLength(150)
  })

  it('an import does not replace a file that gets the name of its result file meanwhile', async () => {
    operator.writeRows(newRows(1))
    const client = operator.createClientActingOnce('PutItem', async () => writeFileSync(operator.resultFile, 'theirs'))

    await expect(operator.importFile({}, client)).rejects.toThrow(
      /exists\. Name another file\. Known to be done: 1 created\. To go on, run the same command again\.$/,
    )

    expect(readFileSync(operator.resultFile, 'utf8')).toBe('theirs')
    rmSync(operator.resultFile)
    const report = await operator.importFile()
    expect(report.text).toBe(operator.addedReport('1 unchanged.'))
    expect(readJsonLines(operator.resultFile)).toMatchObject([{ name: 'New 0' }])
  })

  it('an import writes no pet if its result file cannot be written', async () => {
    operator.writeRows(newRows(1))

    await expect(operator.importFile({ out: '/no-folder/out.csv' })).rejects.toThrow(
      '/no-folder/out.csv.importing cannot be written',
    )

    expect(await operator.colleague.list()).toEqual([])
    expect(operator.audit.lines).toEqual([])
    expect(readdirSync(operator.folder)).toEqual(['rows.jsonl'])
  })
})
