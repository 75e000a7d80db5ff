import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { exportPets } from '../../../../../infra/operations/pets/export.ts'
import { importPets } from '../../../../../infra/operations/pets/import.ts'
import { stringifyExactJson } from '../../../../../shared/exact-json.ts'
import { addPet } from '../../../../../shared/pets/add-pet.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { createMemoryAudit, type MemoryAudit } from '../../../../fixtures/audit.ts'
import { createForgetfulClient, createInterceptingClient } from '../../../../fixtures/clients.ts'
import { type Colleague, createColleague } from '../../../../fixtures/colleague.ts'
import { interruptCommand } from '../../../../fixtures/commands.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'

type ImportOptions = Parameters<typeof importPets>[2]

const formatJsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const newRow = (name: string) => ({ name, categoryId: 1 })

const newRows = (count: number) => Array.from({ length: count }, (_, index) => newRow(`New ${index}`))

/** The pet as a line of the audit has it. */
const toJson = (pet: Pet | undefined) => JSON.parse(stringifyExactJson(pet))

describeOnEachEngine('importPets', (engine) => {
  let service: Service
  let colleague: Colleague
  let folder: string
  let file: string
  let resultFile: string
  let audit: MemoryAudit

  beforeEach(async () => {
    service = await openService(engine)
    // Imported pets get ids of the present. The pets that exist before are an hour older.
    service.time.set(Date.now() - 3_600_000)
    colleague = createColleague(service.client, service.tables.pets)
    folder = createTemporaryFolder()
    file = join(folder, 'rows.jsonl')
    resultFile = join(folder, 'rows.imported-local.jsonl')
    audit = createMemoryAudit()
  })

  const createEnvironment = (database = service.client) => ({
    name: 'local' as const,
    baseUrl: '',
    auditTrail: { file: '' },
    tables: service.tables,
    database,
    [Symbol.dispose]: () => undefined,
  })

  const importFile = (options: Partial<ImportOptions> = {}, database = service.client) =>
    importPets(createEnvironment(database), audit, { file, ...options })

  const dryRun = () => importPets(createEnvironment(), undefined, { file })

  const addPetNamed = (name: string): Promise<Pet> => {
    service.time.advance(1)
    return addPet(service.pets, { name, categoryId: 1n, status: 'available' }, service.time.clock)
  }

  /** Exports all pets. @returns the rows, the newest pet first */
  const exportRows = async (): Promise<readonly object[]> => {
    const exportedFile = join(createTemporaryFolder(), 'exported.jsonl')
    await exportPets(createEnvironment(), { out: exportedFile })
    const lines = readFileSync(exportedFile, 'utf8').trim().split('\n')
    return lines.map((line) => JSON.parse(line))
  }

  const writeRows = (rows: readonly object[]): void => writeFileSync(file, formatJsonLines(rows))

  const listNames = async () => (await colleague.list()).map(({ name }) => name).toSorted()

  /** Creates a client whose calls of PutItem fail from a given call on, as if the connection was lost. */
  const createFailingClient = (firstFailingCall: number) => {
    let calls = 0
    return createInterceptingClient(engine, 'PutItem', async () => {
      calls += 1
      if (calls < firstFailingCall) return
      const error = new Error('socket hang up')
      throw Object.assign(error, { name: 'TimeoutError', $metadata: {} })
    })
  }

  /** Creates a client that acts once, before its first call of an operation. */
  const createClientActingOnce = (
    operation: 'PutItem' | 'BatchGetItem',
    act: (input: Readonly<Record<string, unknown>>) => Promise<void>,
  ) => {
    let hasActed = false
    return createInterceptingClient(engine, operation, async (input) => {
      if (hasActed) return
      hasActed = true
      await act(input)
    })
  }

  describe('with an edited export', () => {
    let changedPet: Pet
    let unchangedPet: Pet

    beforeEach(async () => {
      changedPet = await addPetNamed('Changed')
      unchangedPet = await addPetNamed('Unchanged')
      const [unchangedRow = {}, changedRow = {}] = await exportRows()
      writeRows([unchangedRow, { ...changedRow, name: 'Max' }, newRow('New'), newRow('Newer')])
    })

    it('an import applies each row once though the SDK repeats each write after a lost response', async () => {
      const report = await importFile({}, createForgetfulClient(engine))

      expect(report.text).toBe(`2 created, 1 changed, 1 unchanged.\nThe rows with their ids are in ${resultFile}.`)
      expect(report.exitCode).toBeUndefined()
      expect(await colleague.list()).toMatchObject([
        { ...changedPet, name: 'Max' },
        unchangedPet,
        { name: 'New', categoryId: 1n, status: 'available' },
        { name: 'Newer', categoryId: 1n, status: 'available' },
      ])
    })

    it('the audit has each change once though the SDK repeats each write after a lost response', async () => {
      await importFile({}, createForgetfulClient(engine))

      const [max, , first, second] = await colleague.list()
      const changes = [
        { action: 'pets import', ids: [`${changedPet.id}`], old: toJson(changedPet), new: toJson(max) },
        { action: 'pets import', ids: [`${first?.id}`], old: null, new: toJson(first) },
        { action: 'pets import', ids: [`${second?.id}`], old: null, new: toJson(second) },
      ]
      expect(audit.lines).toMatchObject([
        ...changes.map((change) => ({ ...change, outcome: 'begun' })),
        ...changes.map((change) => ({ ...change, outcome: 'done' })),
      ])
    })
  })

  describe('with pets that a colleague has changed since the export', () => {
    let expectedConflicts: readonly object[]
    let expectedChange: object
    let expectedCreation: object
    let petsBefore: readonly Pet[]
    let petsAfter: readonly unknown[]

    beforeEach(async () => {
      const own = await addPetNamed('Own')
      const both = await addPetNamed('Both')
      const removed = await addPetNamed('Removed')
      const sold = await addPetNamed('Sold')
      const [soldRow = {}, removedRow = {}, bothRow = {}, ownRow = {}] = await exportRows()
      writeRows([soldRow, removedRow, { ...bothRow, name: 'Also mine' }, { ...ownRow, name: 'Mine' }, newRow('New')])
      const bothByColleague: Pet = { ...both, name: 'Theirs' }
      const soldByColleague: Pet = { ...sold, status: 'sold' }
      await colleague.store(bothByColleague)
      await colleague.store(soldByColleague)
      await colleague.remove(removed.id)

      expectedConflicts = [
        { line: 1, outcome: 'conflict', old: sold, theirs: soldByColleague, yours: sold },
        { line: 2, outcome: 'conflict', old: removed, theirs: undefined, yours: removed },
        { line: 3, outcome: 'conflict', old: both, theirs: bothByColleague, yours: { ...both, name: 'Also mine' } },
      ]
      expectedChange = { line: 4, outcome: 'changed', old: own, new: { ...own, name: 'Mine' } }
      const newPet = { name: 'New', categoryId: 1n, status: 'available' }
      expectedCreation = { line: 5, outcome: 'created', new: newPet }
      petsBefore = [own, bothByColleague, soldByColleague]
      petsAfter = [{ ...own, name: 'Mine' }, bothByColleague, soldByColleague, expect.objectContaining(newPet)]
    })

    it('a dry run lists the conflicts with old, theirs and yours, then the changes', async () => {
      const report = await dryRun()

      expect(report).toMatchObject({
        json: { changes: [...expectedConflicts, expectedChange, expectedCreation] },
        exitCode: 1,
      })
    })

    it('a dry run writes neither a pet nor a file', async () => {
      await dryRun()

      expect(await colleague.list()).toEqual(petsBefore)
      expect(readdirSync(folder)).toEqual(['rows.jsonl'])
    })

    it('an import applies the other rows, and exits with 1 because of the conflicts', async () => {
      const report = await importFile()

      expect(report).toMatchObject({
        json: { created: 1, changed: 1, unchanged: 0, conflict: 3, changes: expectedConflicts },
        exitCode: 1,
      })
      expect(await colleague.list()).toEqual(petsAfter)
    })

    it('an import of the result file has the same conflicts', async () => {
      await importFile()

      const report = await importFile({ file: resultFile })

      expect(report).toMatchObject({
        json: { created: 0, changed: 0, unchanged: 2, conflict: 3, changes: expectedConflicts },
        exitCode: 1,
      })
      expect(await colleague.list()).toEqual(petsAfter)
    })
  })

  describe('with a pet that a colleague changes at the same moment', () => {
    let mine: Pet
    let other: Pet

    /** Creates a client whose writes wait until the colleague has changed the other pet. */
    const createRacingClient = () => {
      let change: Promise<void> | undefined
      return createInterceptingClient(engine, 'PutItem', async () => {
        change ??= colleague.store({ ...other, name: 'Theirs' })
        await change
      })
    }

    beforeEach(async () => {
      mine = await addPetNamed('Mine')
      other = await addPetNamed('Other')
      const [otherRow = {}, mineRow = {}] = await exportRows()
      writeRows([
        { ...otherRow, status: 'sold' },
        { ...mineRow, status: 'sold' },
      ])
    })

    it('an import reports a conflict instead of overwriting the change of the colleague', async () => {
      const report = await importFile({}, createRacingClient())

      expect(report.text).toMatch(/^1 changed, 1 conflict\.$/m)
      expect(report.exitCode).toBe(1)
      expect(await colleague.list()).toEqual([
        { ...mine, status: 'sold' },
        { ...other, name: 'Theirs' },
      ])
    })

    it('the audit says that the change of the import was not made', async () => {
      await importFile({}, createRacingClient())

      expect(audit.lines).toMatchObject([
        { ids: [`${other.id}`], outcome: 'begun' },
        { ids: [`${mine.id}`], outcome: 'begun' },
        { ids: [`${other.id}`], outcome: 'failed', reason: 'changed meanwhile' },
        { ids: [`${mine.id}`], outcome: 'done' },
      ])
    })

    it('the audit has the value that an import with --overwrite has overwritten', async () => {
      await importFile({ overwrite: true }, createRacingClient())

      const change = { action: 'pets import', ids: [`${other.id}`], new: { name: 'Other', status: 'sold' } }
      expect(audit.lines.filter(({ ids }) => ids[0] === `${other.id}`)).toMatchObject([
        { ...change, old: { name: 'Other' }, outcome: 'begun' },
        { ...change, old: { name: 'Other' }, outcome: 'failed', reason: 'changed meanwhile' },
        { ...change, old: { name: 'Theirs' }, outcome: 'begun' },
        { ...change, old: { name: 'Theirs' }, outcome: 'done' },
      ])
    })
  })

  describe.each([
    { ending: 'a failure', created: 119, exitCode: 1 },
    { ending: 'an interruption', created: 99, exitCode: 130 },
  ])('after $ending of an import', ({ ending, created, exitCode }) => {
    let conflicting: Pet

    beforeEach(async () => {
      conflicting = await addPetNamed('Conflicting')
      writeRows([...(await exportRows()), ...newRows(300)])
      await colleague.store({ ...conflicting, status: 'sold' })
    })

    const createEndingClient = () =>
      ending === 'a failure'
        ? createFailingClient(120)
        : createClientActingOnce('PutItem', async () => interruptCommand())

    it('the error names the result file to import', async () => {
      await expect(importFile({}, createEndingClient())).rejects.toMatchObject({
        message: expect.stringMatching(`To go on, import ${resultFile}.$`),
        exitCode,
      })

      const [, ...newPets] = await colleague.list()
      expect(newPets).toHaveLength(created)
    })

    it('an import of the result file creates each remaining pet once', async () => {
      await importFile({}, createEndingClient()).catch(() => undefined)

      const report = await importFile({ file: resultFile })

      expect(report.text).toMatch(new RegExp(`^${300 - created} created, ${created} unchanged, 1 conflict\\.$`, 'm'))
      expect(report.exitCode).toBe(1)
      const names = new Set(await listNames())
      expect(names).toEqual(new Set(['Conflicting', ...newRows(300).map(({ name }) => name)]))
      expect(await colleague.list()).toHaveLength(301)
      expect(readdirSync(folder).toSorted()).toEqual(['rows.imported-local.jsonl', 'rows.jsonl'])
    })

    it('imports of the result file keep what others have done to the new pets', async () => {
      await importFile({}, createEndingClient()).catch(() => undefined)
      const [, changed, removed] = await colleague.list()
      if (changed === undefined || removed === undefined) throw new Error('The import has created no pets.')
      await colleague.store({ ...changed, status: 'sold' })
      await colleague.remove(removed.id)

      const report = await importFile({ file: resultFile })

      expect(report.text).toMatch(new RegExp(`^${300 - created} created, ${created} unchanged, 1 conflict\\.$`, 'm'))
      const pets = await colleague.list()
      expect(pets).toHaveLength(300)
      expect(pets).toContainEqual({ ...changed, status: 'sold' })
      expect(new Set(await listNames()).size).toBe(300)

      const secondReport = await importFile({ file: resultFile })

      expect(secondReport.text).toMatch(/^300 unchanged, 1 conflict\.$/m)
      expect(secondReport.exitCode).toBe(1)
      expect(await colleague.list()).toEqual(pets)
      expect(readdirSync(folder).toSorted()).toEqual(['rows.imported-local.jsonl', 'rows.jsonl'])
    })
  })

  describe('with a file that was imported before', () => {
    const bothWaysToGoOn = /rows\.imported-local\.jsonl is there: .* Import .* to go on, .* with --out\.$/

    beforeEach(async () => {
      writeRows(newRows(1))
      await importFile()
    })

    it('an import is rejected with both ways to go on', async () => {
      await expect(importFile()).rejects.toThrow(bothWaysToGoOn)
      expect(await listNames()).toEqual(['New 0'])
    })

    it('a dry run is rejected with both ways to go on', async () => {
      await expect(dryRun()).rejects.toThrow(bothWaysToGoOn)
    })

    it('an import of the result file adds a row that was appended to it', async () => {
      appendFileSync(resultFile, formatJsonLines([newRow('Appended')]))

      const report = await importFile({ file: resultFile })

      expect(report.text).toMatch(/^1 created, 1 unchanged\.$/m)
      expect(await listNames()).toEqual(['Appended', 'New 0'])
    })

    it('an import of the result file is rejected if its appended row was imported before', async () => {
      appendFileSync(resultFile, formatJsonLines([newRow('Appended')]))
      await importFile({ file: resultFile })

      const repeated = importFile({ file: resultFile })

      await expect(repeated).rejects.toThrow('rows.imported-local.imported-local.jsonl is there')
      expect(await listNames()).toEqual(['Appended', 'New 0'])
    })

    it('an import into another data folder, which is another environment, adds all rows', async () => {
      const report = await importPets({ ...createEnvironment(), dataFolder: '/elsewhere' }, audit, { file })

      expect(report.json['created']).toBe(1)
      expect(await listNames()).toEqual(['New 0', 'New 0'])
    })

    it('an import with --out adds all rows once more', async () => {
      const report = await importFile({ out: join(folder, 'again.csv') })

      expect(report.text).toMatch(/^1 created\.$/m)
      expect(await listNames()).toEqual(['New 0', 'New 0'])
    })
  })

  it('one of two imports of the same file at the same moment is rejected, and each pet is added once', async () => {
    writeRows(newRows(150))

    const outcomes = await Promise.allSettled([importFile(), importFile()])

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await colleague.list()).toHaveLength(150)
  })

  it('two imports of the same result file at the same moment add each pet once without a conflict', async () => {
    writeRows(newRows(150))
    await importFile()
    const emptyService = await openService(engine)
    const emptyEnvironment = { ...createEnvironment(), tables: emptyService.tables }

    const [one, other] = await Promise.all([
      importPets(emptyEnvironment, audit, { file: resultFile }),
      importPets(emptyEnvironment, audit, { file: resultFile }),
    ])

    expect(one?.json['conflict']).toBe(0)
    expect(other?.json['conflict']).toBe(0)
    const colleagueThere = createColleague(service.client, emptyService.tables.pets)
    expect(await colleagueThere.list()).toHaveLength(150)
    expect(readdirSync(folder)).toHaveLength(2)
  })

  describe('with a new pet whose id another pet gets at the same moment', () => {
    const createRacingClient = () =>
      createClientActingOnce('PutItem', async ({ Item }) => {
        const samePet = { name: 'New 0', categoryId: 1n, status: 'available' } as const
        await service.pets.put({ ...samePet, id: BigInt(Object(Item).id) }, 'another attempt')
      })

    beforeEach(() => writeRows(newRows(1)))

    it('an import reports a conflict', async () => {
      const report = await importFile({}, createRacingClient())

      expect(report.text).toMatch(/^1 conflict\.$/m)
      expect(report.exitCode).toBe(1)
      expect(await colleague.list()).toHaveLength(1)
    })

    it('an import of the result file reports the same conflict', async () => {
      await importFile({}, createRacingClient())

      const report = await importFile({ file: resultFile })

      expect(report.text).toMatch(/^1 conflict\.$/m)
      expect(report.exitCode).toBe(1)
      expect(await colleague.list()).toHaveLength(1)
    })
  })

  describe('with rows that lack versions', () => {
    let two: Pet

    beforeEach(async () => {
      const one = await addPetNamed('One')
      two = await addPetNamed('Two')
      // No pet has the id 7.
      const ids = [Number(one.id), Number(two.id), 7]
      writeRows(ids.map((id) => ({ id, name: 'Mine', categoryId: 1, status: 'sold' })))
    })

    it('an import without --overwrite is rejected', async () => {
      await expect(importFile()).rejects.toThrow(/^Nothing is written\.\nLine 1: version is missing/)
    })

    it('an import with --overwrite changes the pets, and has a conflict for an id without a pet', async () => {
      const report = await importFile({ overwrite: true })

      expect(report.text).toMatch(/^2 changed, 1 conflict\.$/m)
      expect(report.exitCode).toBe(1)
    })

    it('an import with --restore adds a pet under an id without one', async () => {
      await importFile({ overwrite: true })

      const report = await importFile({ overwrite: true, restore: true })

      expect(report.text).toBe('1 restored, 2 unchanged.')
      expect(report.exitCode).toBeUndefined()
      expect(await listNames()).toEqual(['Mine', 'Mine', 'Mine'])
    })

    it('an import with --overwrite changes a pet back that a colleague has changed', async () => {
      await importFile({ overwrite: true, restore: true })
      await colleague.store({ ...two, name: 'Theirs' })

      const report = await importFile({ overwrite: true, restore: true })

      expect(report.text).toBe('1 changed, 2 unchanged.')
      expect(await listNames()).toEqual(['Mine', 'Mine', 'Mine'])
    })

    it('a failure of a file with ids says to run the same command again', async () => {
      const failing = importFile({ overwrite: true, restore: true }, createFailingClient(1))

      await expect(failing).rejects.toThrow('To go on, run the same command again.')
    })

    it('a failure of a file with a new row names the options for the result file', async () => {
      appendFileSync(file, formatJsonLines([newRow('New')]))

      const failing = importFile({ overwrite: true, restore: true }, createFailingClient(1))

      await expect(failing).rejects.toThrow(`To go on, import ${resultFile} --restore --overwrite.`)
    })

    it('an import of the result file with these options goes on after a failure', async () => {
      await importFile({ overwrite: true, restore: true })
      appendFileSync(file, formatJsonLines([newRow('New')]))
      await importFile({ overwrite: true, restore: true }, createFailingClient(1)).catch(() => undefined)

      const report = await importFile({ file: resultFile, overwrite: true, restore: true })

      expect(report.text).toBe('1 created, 3 unchanged.')
      expect(await listNames()).toEqual(['Mine', 'Mine', 'Mine', 'New'])
    })
  })

  it('an import writes no pet if its result file cannot be written', async () => {
    writeRows(newRows(1))

    await expect(importFile({ out: '/no-folder/out.csv' })).rejects.toThrow('The folder /no-folder does not exist.')

    expect(await colleague.list()).toEqual([])
    expect(audit.lines).toEqual([])
    expect(readdirSync(folder)).toEqual(['rows.jsonl'])
  })

  it('an import that is interrupted before its result file is written writes nothing', async () => {
    writeRows(newRows(1))
    const client = createClientActingOnce('BatchGetItem', async () => interruptCommand())

    await expect(importFile({}, client)).rejects.toMatchObject({
      message: 'Interrupted. Nothing is written. Run the same command again.',
      exitCode: 130,
    })

    expect(await colleague.list()).toEqual([])
    expect(audit.lines).toEqual([])
    expect(readdirSync(folder)).toEqual(['rows.jsonl'])
  })
})
