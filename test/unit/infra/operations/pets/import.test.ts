import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { exportPets } from '../../../../../infra/operations/pets/export.ts'
import { importPets } from '../../../../../infra/operations/pets/import.ts'
import { stringifyExactJson } from '../../../../../shared/exact-json.ts'
import { addPet } from '../../../../../shared/pets/add-pet.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { readDrawTime } from '../../../../../shared/pets/pet-id.ts'
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

/** The row of a pet as an export has written it. */
const toExportedRow = (pet: object) => ({
  ...pet,
  version: Buffer.from(JSON.stringify(pet)).toString('base64url'),
})

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

  const dryRun = (options: Partial<ImportOptions> = {}) =>
    importPets(createEnvironment(), undefined, { file, ...options })

  const addedReport = (counts: string): string => `${counts}\nThe new pets with their ids are in ${resultFile}.`

  const addPetNamed = (name: string): Promise<Pet> => {
    service.time.advance(1)
    return addPet(service.pets, { name, categoryId: 1n, status: 'available' }, service.time.clock)
  }

  /** Exports all pets. @returns the rows, the newest pet first */
  const exportRows = async (): Promise<readonly object[]> => {
    const exportedFile = join(createTemporaryFolder(), 'exported.jsonl')
    await exportPets(createEnvironment(), { out: exportedFile })
    return readRows(exportedFile)
  }

  /** Reads the rows of a file that a command has written. */
  const readRows = (path: string): readonly object[] =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

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

      expect(report.text).toBe(addedReport('2 created, 1 changed, 1 unchanged.'))
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
      const change = { action: 'pets import', ids: [`${changedPet.id}`], old: toJson(changedPet), new: toJson(max) }
      const firstCreation = { action: 'pets import', ids: [`${first?.id}`], old: null, new: toJson(first) }
      const secondCreation = { action: 'pets import', ids: [`${second?.id}`], old: null, new: toJson(second) }
      expect(audit.lines).toMatchObject([
        { ...change, outcome: 'begun' },
        { ...change, outcome: 'done' },
        { ...firstCreation, outcome: 'begun' },
        { ...secondCreation, outcome: 'begun' },
        { ...firstCreation, outcome: 'done' },
        { ...secondCreation, outcome: 'done' },
      ])
    })

    it('the result file has the new pets with their ids', async () => {
      await importFile()

      const [, , first, second] = await colleague.list()
      expect(readRows(resultFile)).toMatchObject([toJson(first), toJson(second)])
    })

    it('an import leaves no other file than the result file', async () => {
      await importFile()

      expect(readdirSync(folder).toSorted()).toEqual(['rows.imported-local.jsonl', 'rows.jsonl'])
    })
  })

  describe('with pets that a colleague has changed since the export', () => {
    let own: Pet
    let both: Pet
    let gone: Pet
    let removed: Pet
    let sold: Pet
    let conflictFile: string

    beforeEach(async () => {
      conflictFile = join(folder, 'rows.conflicts-local.jsonl')
      own = await addPetNamed('Own')
      both = await addPetNamed('Both')
      gone = await addPetNamed('Gone')
      removed = await addPetNamed('Removed')
      sold = await addPetNamed('Sold')
      const [soldRow = {}, removedRow = {}, goneRow = {}, bothRow = {}, ownRow = {}] = await exportRows()
      writeRows([
        soldRow,
        removedRow,
        { ...goneRow, name: 'Mine' },
        { ...bothRow, name: 'Also mine' },
        { ...ownRow, name: 'Mine' },
        newRow('New'),
      ])
      await colleague.store({ ...both, status: 'sold' })
      await colleague.store({ ...sold, status: 'sold' })
      await colleague.remove(gone.id)
      await colleague.remove(removed.id)
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
      const report = await dryRun()

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
      const petsBefore = await colleague.list()

      await dryRun()

      expect(await colleague.list()).toEqual(petsBefore)
      expect(readdirSync(folder)).toEqual(['rows.jsonl'])
    })

    it('rows that were not edited ask for nothing, and the other rows are applied', async () => {
      const report = await importFile()

      expect(report).toMatchObject({
        json: { created: 1, changed: 1, unchanged: 2, conflict: 2, changes: expectConflicts(), conflictFile },
        exitCode: 3,
      })
      expect(await colleague.list()).toMatchObject([
        { ...own, name: 'Mine' },
        { ...both, status: 'sold' },
        { ...sold, status: 'sold' },
        { name: 'New' },
      ])
    })

    it('the file of conflicts has what was edited and what others have changed', async () => {
      await importFile()

      expect(readRows(conflictFile)).toMatchObject([
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
      await importFile()

      const report = await importFile({ file: conflictFile, restore: true })

      expect(report.text).toBe('1 changed, 1 restored.')
      expect(await colleague.list()).toMatchObject([
        { ...own, name: 'Mine' },
        { ...both, name: 'Also mine', status: 'sold' },
        { ...gone, name: 'Mine' },
        { ...sold, status: 'sold' },
        { name: 'New' },
      ])
    })

    it('conflicts of another import get a file of their own', async () => {
      await importFile()

      const report = await importFile({ file: conflictFile })

      expect(report.json['conflictFile']).toBe(join(folder, 'rows.conflicts-local-2.jsonl'))
    })

    it('an import with --overwrite leaves the pets of rows that were not edited', async () => {
      const report = await importFile({ overwrite: true })

      expect(report.json).toMatchObject({ changed: 2, unchanged: 2, conflict: 1 })
      expect(await colleague.list()).toMatchObject([
        { ...own, name: 'Mine' },
        { ...both, name: 'Also mine', status: 'sold' },
        { ...sold, status: 'sold' },
        { name: 'New' },
      ])
    })

    it('an import with --restore adds removed pets again, and leaves the others', async () => {
      const report = await importFile({ restore: true })

      expect(report.json).toMatchObject({ changed: 1, restored: 2, unchanged: 1, conflict: 1 })
      expect(await colleague.list()).toMatchObject([
        { ...own, name: 'Mine' },
        { ...both, status: 'sold' },
        { ...gone, name: 'Mine' },
        removed,
        { ...sold, status: 'sold' },
        { name: 'New' },
      ])
    })

    it('an import with --restore and --overwrite brings back each pet as its row has it', async () => {
      const report = await importFile({ restore: true, overwrite: true })

      expect(report.json).toMatchObject({ changed: 3, restored: 2, conflict: 0 })
      expect(await colleague.list()).toMatchObject([
        { ...own, name: 'Mine' },
        { ...both, name: 'Also mine' },
        { ...gone, name: 'Mine' },
        removed,
        sold,
        { name: 'New' },
      ])
    })

    it('an import of more rows than are looked up one by one restores the same pets', async () => {
      const rows = readRows(file)
      // These rows have no versions.
      const otherRows = Array.from({ length: 10_000 }, (_, index) => ({
        ...newRow('Other'),
        status: 'sold',
        id: index + 1,
      }))
      writeRows([...rows, ...otherRows])

      const report = await dryRun({ restore: true, overwrite: true })

      expect(report.json).toMatchObject({ created: 1, changed: 3, restored: 10_002, conflict: 0, unlisted: 9_906 })
    })

    it('an import with --restore of more rows than are looked up one by one makes the same changes', async () => {
      const rows = readRows(file)
      const otherPets = Array.from({ length: 10_000 }, (_, index) => ({
        id: index + 1,
        ...newRow('Other'),
        status: 'sold',
      }))
      writeRows([...rows, ...otherPets.map(toExportedRow)])

      const report = await dryRun({ restore: true })

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
      expect(report.exitCode).toBe(3)
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

      const first = { old: { name: 'Other' }, new: { name: 'Other', status: 'sold' } }
      const second = { old: { name: 'Theirs' }, new: { name: 'Theirs', status: 'sold' } }
      expect(audit.lines.filter(({ ids }) => ids[0] === `${other.id}`)).toMatchObject([
        { ...first, outcome: 'begun' },
        { ...first, outcome: 'failed', reason: 'changed meanwhile' },
        { ...second, outcome: 'begun' },
        { ...second, outcome: 'done' },
      ])
    })
  })

  describe.each([
    { ending: 'a failure', created: 119, exitCode: 1 },
    { ending: 'an interruption', created: 100, exitCode: 130 },
  ])('after $ending of an import', ({ ending, created, exitCode }) => {
    let conflicting: Pet

    beforeEach(async () => {
      conflicting = await addPetNamed('Conflicting')
      const [row = {}] = await exportRows()
      writeRows([{ ...row, name: 'Mine' }, ...newRows(300)])
      await colleague.store({ ...conflicting, status: 'sold' })
    })

    const createEndingClient = () =>
      ending === 'a failure'
        ? createFailingClient(120)
        : createClientActingOnce('PutItem', async () => interruptCommand())

    it('the error says what was done, and to run the same command again', async () => {
      await expect(importFile({}, createEndingClient())).rejects.toMatchObject({
        message: expect.stringMatching(
          `Known to be done: ${created} created, 1 conflict. To go on, run the same command again.$`,
        ),
        exitCode,
      })

      const [, ...newPets] = await colleague.list()
      expect(newPets).toHaveLength(created)
    })

    it('the same command creates each remaining pet once', async () => {
      await importFile({}, createEndingClient()).catch(() => undefined)

      const report = await importFile()

      expect(report.text).toMatch(new RegExp(`^${300 - created} created, ${created} unchanged, 1 conflict\\.$`, 'm'))
      const names = new Set(await listNames())
      expect(names).toEqual(new Set(['Conflicting', ...newRows(300).map(({ name }) => name)]))
      expect(await colleague.list()).toHaveLength(301)
      expect(readRows(resultFile)).toHaveLength(300)
    })

    it('a dry run says what is left to do, and the same command then does it', async () => {
      await importFile({}, createEndingClient()).catch(() => undefined)

      const report = await dryRun()

      expect(report.json).toMatchObject({ created: 300 - created, unchanged: created, conflict: 1 })
      expect(await importFile()).toMatchObject({ json: { created: 300 - created } })
    })

    it('the same command keeps what others have done to the new pets', async () => {
      await importFile({}, createEndingClient()).catch(() => undefined)
      const [, changed, removed] = await colleague.list()
      if (changed === undefined || removed === undefined) throw new Error('The import has created no pets.')
      await colleague.store({ ...changed, status: 'sold' })
      await colleague.remove(removed.id)

      await importFile()

      const pets = await colleague.list()
      expect(pets).toHaveLength(300)
      expect(pets).toContainEqual({ ...changed, status: 'sold' })
    })

    it('an import of rows that were changed meanwhile is rejected', async () => {
      await importFile({}, createEndingClient()).catch(() => undefined)
      appendFileSync(file, formatJsonLines([newRow('Appended')]))

      await expect(importFile()).rejects.toThrow(`${resultFile}.importing is the journal of an import of other rows`)

      expect(await colleague.list()).toHaveLength(created + 1)
    })
  })

  describe('with a write of a killed import that arrives late', () => {
    let lateInput: Readonly<Record<string, unknown>> | undefined

    const killAtFirstWrite = () =>
      createInterceptingClient(engine, 'PutItem', async (input) => {
        lateInput ??= input
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: {} })
      })

    beforeEach(async () => {
      lateInput = undefined
      writeRows(newRows(1))
      await importFile({}, killAtFirstWrite()).catch(() => undefined)
    })

    const sendLateWrite = () => service.client.send(new PutCommand(lateInput as unknown as PutCommandInput))

    it('the same command gives the pet a new id, and the late write fails', async () => {
      await importFile()

      await expect(sendLateWrite()).rejects.toThrow('conditional')
      expect(await listNames()).toEqual(['New 0'])
    })

    it('the same command finds the pet that the late write has added before', async () => {
      await sendLateWrite()

      const report = await importFile()

      expect(report.text).toBe(addedReport('1 unchanged.'))
      expect(await listNames()).toEqual(['New 0'])
    })
  })

  it('a resumed import draws a new id for each pet that it adds, just before it writes the pet', async () => {
    writeRows(newRows(150))
    await importFile({}, createFailingClient(120)).catch(() => undefined)
    const drawnIds = new Set(audit.lines.flatMap(({ ids }) => ids))
    const storedIds = new Set((await colleague.list()).map(({ id }) => id))
    const resumedAt = Date.now()

    await importFile()

    const newIds = (await colleague.list()).map(({ id }) => id).filter((id) => !storedIds.has(id))
    expect(newIds).toHaveLength(31)
    expect(drawnIds.size).toBe(150)
    for (const id of newIds) {
      expect(drawnIds).not.toContain(`${id}`)
      // The clock of the service has whole seconds.
      expect(readDrawTime(id)).toBeGreaterThan(resumedAt - 2_000)
    }
  })

  it('a pet gets another id if the import was suspended after it had drawn the first one', async () => {
    writeRows(newRows(1))
    let suspendedMilliseconds = 0
    audit = createMemoryAudit(() => {
      if (audit.lines.length === 0) suspendedMilliseconds = 3_600_000
    })

    await importPets(createEnvironment(), audit, { file }, () => Date.now() + suspendedMilliseconds)

    const [pet] = await colleague.list()
    expect(readDrawTime(pet?.id ?? 0n)).toBeGreaterThan(Date.now() + 3_590_000)
    expect(audit.lines).toMatchObject([
      { outcome: 'begun' },
      { outcome: 'failed', reason: 'its id is too old' },
      { ids: [`${pet?.id}`], outcome: 'begun' },
      { ids: [`${pet?.id}`], outcome: 'done' },
    ])
  })

  describe('with a file that was imported before', () => {
    beforeEach(async () => {
      writeRows(newRows(1))
      await importFile()
    })

    it('an import is rejected with both ways to add rows', async () => {
      await expect(importFile()).rejects.toThrow(/rows\.imported-local\.jsonl is there: .* append .* with --out\.$/)
      expect(await listNames()).toEqual(['New 0'])
    })

    it('a dry run is rejected too', async () => {
      await expect(dryRun()).rejects.toThrow('rows.imported-local.jsonl is there')
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

  it('an import goes on where one was killed before its journal had anything', async () => {
    writeRows(newRows(1))
    writeFileSync(`${resultFile}.importing`, '')

    const report = await importFile()

    expect(report.text).toBe(addedReport('1 created.'))
    expect(readdirSync(folder).toSorted()).toEqual(['rows.imported-local.jsonl', 'rows.jsonl'])
  })

  it('an import does not replace a file that gets the name of its result file meanwhile', async () => {
    writeRows(newRows(1))
    const client = createClientActingOnce('PutItem', async () => writeFileSync(resultFile, 'theirs'))

    await expect(importFile({}, client)).rejects.toThrow(
      /exists\. Name another file\. Known to be done: 1 created\. To go on, run the same command again\.$/,
    )

    expect(readFileSync(resultFile, 'utf8')).toBe('theirs')
    rmSync(resultFile)
    const report = await importFile()
    expect(report.text).toBe(addedReport('1 unchanged.'))
    expect(readRows(resultFile)).toMatchObject([{ name: 'New 0' }])
  })

  describe('with a new pet whose id another pet gets at the same moment', () => {
    let takenId: string

    const createRacingClient = () =>
      createClientActingOnce('PutItem', async ({ Item }) => {
        takenId = `${Object(Item).id}`
        const samePet = { name: 'New 0', categoryId: 1n, status: 'available' } as const
        await service.pets.put({ ...samePet, id: BigInt(takenId) }, 'another attempt')
      })

    beforeEach(() => writeRows(newRows(1)))

    it('an import gives the pet another id', async () => {
      const report = await importFile({}, createRacingClient())

      expect(report.text).toBe(addedReport('1 created.'))
      expect(await listNames()).toEqual(['New 0', 'New 0'])
    })

    it('the audit says that the first id was not used', async () => {
      await importFile({}, createRacingClient())

      expect(audit.lines).toMatchObject([
        { ids: [takenId], outcome: 'begun' },
        { ids: [takenId], outcome: 'failed', reason: 'another pet has the id' },
        { outcome: 'begun' },
        { outcome: 'done' },
      ])
    })
  })

  describe('on a machine with a wrong clock', () => {
    const importWithClock = (milliseconds: number) =>
      importPets(createEnvironment(), audit, { file }, () => Date.now() + milliseconds)

    it.each([-62_000, 62_000])(
      'an import that adds pets is rejected if the clock is %j ms off',
      async (milliseconds) => {
        writeRows(newRows(1))

        await expect(importWithClock(milliseconds)).rejects.toThrow(
          /^The clock of this machine says .* Set the clock\.$/,
        )

        expect(await colleague.list()).toEqual([])
        expect(readdirSync(folder)).toEqual(['rows.jsonl'])
      },
    )

    it('ids follow the clock of the service', async () => {
      writeRows(newRows(1))

      await importWithClock(-50_000)

      const [pet] = await colleague.list()
      expect(readDrawTime(pet?.id ?? 0n)).toBeGreaterThan(Date.now() - 10_000)
    })
  })

  it('an import with --restore writes nothing if the contract no longer allows a row that was not edited', async () => {
    const pets = ['available', 'adopted'].map((status, index) => ({ id: index + 1, ...newRow('Bella'), status }))
    writeRows(pets.map(toExportedRow))

    await expect(importFile({ restore: true })).rejects.toThrow(
      'Nothing is written.\nLine 2: status must be one of available, pending, sold, not "adopted".',
    )
    expect(await colleague.list()).toEqual([])
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
      expect(report.exitCode).toBe(3)
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

    it('an import with the same options goes on after a failure', async () => {
      appendFileSync(file, formatJsonLines([newRow('New')]))
      const options = { overwrite: true, restore: true }
      await importFile(options, createFailingClient(3)).catch(() => undefined)

      const report = await importFile(options)

      expect(report.json).toMatchObject({ created: 1, conflict: 0 })
      expect(await listNames()).toEqual(['Mine', 'Mine', 'Mine', 'New'])
    })
  })

  it('an import of a file with an id twice is rejected', async () => {
    const row = { id: 7, name: 'Mine', categoryId: 1, status: 'sold' }
    writeRows([row, newRow('New'), row])

    await expect(importFile({ overwrite: true })).rejects.toThrow('Line 3: the id 7 is in line 1 too.')

    expect(await colleague.list()).toEqual([])
  })

  it('a dry run lists a hundred changes, and counts the others', async () => {
    writeRows(newRows(150))

    const report = await dryRun()

    expect(report.json['changes']).toHaveLength(100)
    expect(report.text).toMatch(/\n50 further changes not listed\.\n150 created\.$/)
  })

  it('an import writes no pet if its result file cannot be written', async () => {
    writeRows(newRows(1))

    await expect(importFile({ out: '/no-folder/out.csv' })).rejects.toThrow(
      '/no-folder/out.csv.importing cannot be written',
    )

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
  it('a dry run that is interrupted says that nothing is written', async () => {
    await addPetNamed('Bella')
    const [row = {}] = await exportRows()
    writeRows([{ ...row, name: 'Max' }, newRow('New')])
    let lookups = 0
    const client = createInterceptingClient(engine, 'BatchGetItem', async () => {
      lookups += 1
      // The first one asks for the time.
      if (lookups === 2) interruptCommand()
    })

    await expect(importPets(createEnvironment(client), undefined, { file })).rejects.toMatchObject({
      message: 'Interrupted. Nothing is written. Run the same command again.',
      exitCode: 130,
    })
  })
})
