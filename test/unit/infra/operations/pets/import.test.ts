import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { exportPets } from '../../../../../infra/operations/pets/export.ts'
import { importPets, tryImport } from '../../../../../infra/operations/pets/import.ts'
import { PetItems } from '../../../../../infra/operations/pets/pet-items.ts'
import { columns, formatOf } from '../../../../../infra/operations/pets/rows/format.ts'
import { type Change, recording } from '../../../../../infra/operations/target/audit.ts'
import { addPet } from '../../../../../shared/pets/add-pet.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { interceptingClient } from '../../../../fixtures/client-middleware.ts'
import { contractPets } from '../../../../fixtures/contract-pets.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { sized } from '../../../../fixtures/size.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-import-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

describeOnEachEngine('an import', (engine) => {
  let service: Service
  let items: PetItems
  let file: string
  let result: string
  let changes: Change[]
  beforeEach(async () => {
    service = await openService(engine)
    items = new PetItems(service.client, service.tables.pets)
    const own = mkdtempSync(join(folder, 'case-'))
    file = join(own, 'rows.csv')
    result = join(own, 'rows.imported-local.csv')
    changes = []
  })

  const write = (...rows: readonly string[]): void => writeFileSync(file, rows.map((row) => `${row}\n`).join(''))

  /** The line of a new pet in an export. */
  const lineOf = (name: string, status = ''): string =>
    `${columns.map((column) => new Map(Object.entries({ name, categoryId: '1', status })).get(column))}\n`

  const all = async (): Promise<Pet[]> => (await Array.fromAsync(items.scan(undefined))).flat()
  const names = async () => (await all()).map(({ name }) => name).toSorted()

  const place = (database = service.client) => {
    const audit = async (recorded: readonly Change[]): Promise<void> => void changes.push(...recorded)
    const { tables } = service
    return {
      ...({
        environment: 'local',
        baseUrl: '',
        auditTrail: '',
        tables,
        database,
        [Symbol.dispose]: () => undefined,
      } as const),
      ...{ print: async () => undefined, audit, recorded: recording(audit) },
    }
  }

  const run = async (
    asked: Partial<Parameters<typeof importPets>[1]> = {},
    database = service.client,
    signal = new AbortController().signal,
  ) => {
    const { json, exitCode = 0 } = await importPets(
      place(database),
      { file, restore: false, overwrite: false, ...asked },
      signal,
    )
    const { steps, file: out, ...counts } = json
    return {
      steps,
      exitCode,
      out,
      counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    }
  }

  const toFile = (out: string) =>
    exportPets(place(), { status: undefined, format: formatOf(out), out }, new AbortController().signal)

  const pet = (name = 'Bella'): Promise<Pet> =>
    addPet(service.pets, { name, categoryId: 1n, status: 'available' }, service.time.clock)

  it('adds, changes and leaves pets, the last row as the newest, and records each change before it is made', async () => {
    const [changed, left] = [await pet(), await pet()]
    await toFile(file)
    appendFileSync(file, lineOf('New', 'sold') + lineOf('Newer'))
    writeFileSync(file, readFileSync(file, 'utf8').replace(`${changed.id},Bella`, `${changed.id},Max`))
    expect(await run()).toEqual({ counts: { created: 2, changed: 1, left: 1 }, steps: [], exitCode: 0, out: result })
    const pets = new Map((await all()).map((one) => [one.name, one]))
    expect(pets.get('Max')).toEqual({ ...changed, name: 'Max' })
    expect(pets.get('Bella')).toEqual(left)
    const [one, other] = [pets.get('New'), pets.get('Newer')]
    expect(one?.id).toBeLessThan(other?.id ?? 0n)
    const recorded = changes.map(({ ids, old, new: now }) => [ids[0], old, now])
    expect(recorded).toHaveLength(3)
    expect(recorded).toContainEqual([`${changed.id}`, changed, pets.get('Max')])
    expect(recorded).toContainEqual([`${other?.id}`, null, other])
  })

  it('of an export leaves what a colleague did since, lists it with old, theirs and yours, and exits with 1', async () => {
    const pets = await Promise.all(Array.from({ length: 30 }, (_, number) => pet(`Pet ${number}`)))
    const [edited, both, removed, ...others] = pets
    if (edited === undefined || both === undefined || removed === undefined) throw new Error('30 were added.')
    await toFile(file)
    for (const one of [both, ...others.slice(0, 9)]) await items.change(one, { ...one, status: 'sold' })
    await items.remove(removed)
    const edit = (text: string) => text.replace(`${edited.name},`, 'Mine,').replace(`${both.name},`, 'Also mine,')
    writeFileSync(file, edit(readFileSync(file, 'utf8')))
    const before = new Map((await all()).map((one) => [one.id, one]))
    const { counts, steps, exitCode } = await run()
    expect([counts, exitCode]).toEqual([{ changed: 1, conflicts: 11, left: 18 }, 1])
    const line = expect.any(Number)
    const action = 'conflict'
    const yours = { ...both, name: 'Also mine' }
    expect(steps).toContainEqual({ line, action, id: both.id, old: both, theirs: { ...both, status: 'sold' }, yours })
    expect(steps).toContainEqual({ line, action, id: removed.id, old: removed, theirs: null, yours: removed })
    before.set(edited.id, { ...edited, name: 'Mine' })
    expect(new Map((await all()).map((one) => [one.id, one]))).toEqual(before)
    // The same command does not overwrite after all.
    expect(await run()).toMatchObject({ counts: { conflicts: 11, left: 19 }, exitCode: 1 })
    expect(new Map((await all()).map((one) => [one.id, one]))).toEqual(before)
    expect(await run({ overwrite: true, restore: true })).toMatchObject({
      counts: { changed: 10, restored: 1 },
      exitCode: 0,
    })
    expect(await names()).toEqual(
      pets
        .map(({ name }) => name)
        .with(0, 'Mine')
        .with(1, 'Also mine')
        .toSorted(),
    )
  })

  it('leaves a pet that somebody else changes at that moment, and records that its change was refused', async () => {
    const [mine, theirs] = [await pet('Mine'), await pet('Theirs')]
    await toFile(file)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('available', 'sold'))
    let change: Promise<unknown> | undefined
    const raced = interceptingClient(engine, 'UpdateItem', async () => {
      change ??= items.change(theirs, { ...theirs, name: 'Changed' })
      await change
    })
    expect(await run({}, raced)).toMatchObject({ counts: { changed: 1, conflicts: 1 }, exitCode: 1 })
    expect(await items.find([mine.id, theirs.id])).toMatchObject(
      new Map([
        [mine.id, { pet: { ...mine, status: 'sold' } }],
        [theirs.id, { pet: { ...theirs, name: 'Changed' } }],
      ]),
    )
    expect(changes.at(-1)).toMatchObject({ ids: [`${theirs.id}`], refused: 'changed meanwhile' })
  })

  /** Fails at some write, as a connection does. */
  const failing = (operation: 'PutItem' | 'UpdateItem', at: number) => {
    let calls = 0
    return interceptingClient(engine, operation, async () => {
      calls += 1
      if (calls >= at) throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: {} })
    })
  }

  it('that stops goes on from its result, adds each pet once, and reports a conflict again', async () => {
    const theirs = await pet('Theirs')
    await toFile(file)
    await items.change(theirs, { ...theirs, status: 'sold' })
    appendFileSync(file, Array.from({ length: 300 }, (_, row) => lineOf(`New ${row}`)).join(''))
    await expect(run({}, failing('PutItem', 120))).rejects.toThrow(`To go on, import ${result}.`)
    const begun = (await all()).filter(({ name }) => name.startsWith('New'))
    expect(begun.length).toBeGreaterThan(80)
    expect(begun.length).toBeLessThan(299)
    // What others do to its new pets meanwhile is neither undone nor a conflict.
    const [sold, removed] = begun
    if (sold === undefined || removed === undefined) throw new Error('Some were added.')
    await items.change(sold, { ...sold, status: 'sold' })
    await items.remove(removed)
    const { counts, exitCode } = await run({ file: result })
    expect([counts['conflicts'], Number(counts['created']) + begun.length, exitCode]).toEqual([1, 300, 1])
    expect(new Set(await names()).size).toBe(300)
    expect(await all()).toContainEqual({ ...sold, status: 'sold' })
    expect(await run({ file: result })).toMatchObject({ counts: { conflicts: 1, left: 300 }, exitCode: 1 })
  })

  it('that is interrupted says how to go on, exits with 130, and leaves no file behind but its result', async () => {
    write('name,categoryId', ...Array.from({ length: 300 }, (_, row) => `New ${row},1`))
    const controller = new AbortController()
    const interrupting = interceptingClient(engine, 'PutItem', async () => controller.abort())
    const interrupted = { message: `Interrupted. To go on, import ${result}.`, exitCode: 130 }
    await expect(run({}, interrupting, controller.signal)).rejects.toMatchObject(interrupted)
    expect(readdirSync(join(file, '..')).toSorted()).toEqual(['rows.csv', 'rows.imported-local.csv'])
    const nothing = { message: 'Interrupted. Nothing is written. Run the same command again.', exitCode: 130 }
    await expect(run({ out: `${result}.2` }, service.client, AbortSignal.abort())).rejects.toMatchObject(nothing)
    await run({ file: result })
    expect(new Set(await names()).size).toBe(300)
    expect(readdirSync(join(file, '..'))).toHaveLength(2)
  })

  it('does not begin again: its result is refused beside the file, and says both ways on', async () => {
    write('name,categoryId', 'New,1')
    await run()
    await expect(run()).rejects.toThrow(/rows\.imported-local\.csv is there: .* Import .* to go on, .* with --out\.$/)
    appendFileSync(result, lineOf('Appended'))
    const next = result.replace('.csv', '.2.csv')
    expect(await run({ file: result })).toMatchObject({ counts: { created: 1, left: 1 }, out: next })
    expect(await names()).toEqual(['Appended', 'New'])
    await expect(run({ file: result })).rejects.toThrow(`${next} is there`)
    expect(await run({ out: join(folder, `${service.tables.pets}.jsonl`) })).toMatchObject({ counts: { created: 1 } })
    expect(await names()).toEqual(['Appended', 'New', 'New'])
    // Another data folder is another environment.
    expect(await run({ data: '/elsewhere' })).toMatchObject({ counts: { created: 1 } })
  })

  it('adds each pet once where two of one file, or of one result, run at the same moment', async () => {
    write('name,categoryId', ...Array.from({ length: 150 }, (_, row) => `New ${row},1`))
    const outcomes = await Promise.allSettled([run(), run()])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect((await all()).length).toBe(150)
    for (const one of await all()) await items.remove(one)
    const second = await openService(engine)
    const other = new PetItems(second.client, second.tables.pets)
    service = { ...service, tables: second.tables }
    const [one, two] = await Promise.all([run({ file: result }), run({ file: result })])
    expect([one.exitCode, two.exitCode]).toEqual([0, 0])
    expect((await Array.fromAsync(other.scan(undefined))).flat().length).toBe(150)
    expect(readdirSync(join(file, '..')).toSorted()).toEqual(['rows.csv', 'rows.imported-local.csv'])
  })

  it('reports a new pet whose id another one gets at that moment, and does not take that one for its own', async () => {
    write('name,categoryId,status', 'New,1,sold')
    const other = { name: 'Other', categoryId: 1n, status: 'sold' } as const
    const raced = interceptingClient(engine, 'PutItem', async ({ Item }) => {
      await service.pets.put({ ...other, id: BigInt(Object(Item).id) }, 'another attempt')
    })
    expect(await run({}, raced)).toMatchObject({ counts: { conflicts: 1 }, exitCode: 1 })
    expect(await run({ file: result })).toMatchObject({ counts: { conflicts: 1 }, exitCode: 1 })
    expect(await names()).toEqual(['Other'])
  })

  it('takes rows without versions only with --overwrite, and gives them those of that moment', async () => {
    const [one, two] = [await pet('One'), await pet('Two')]
    write('id,name,categoryId,status', `${one.id},Mine,1,sold`, `${two.id},Mine,1,sold`)
    await expect(run()).rejects.toThrow(
      /^Nothing is written\.\nLine 2, column version: is missing, so .* --overwrite\.$/,
    )
    await expect(run({ overwrite: true }, failing('UpdateItem', 1))).rejects.toThrow(`To go on, import ${result}.`)
    await items.change(two, { ...two, name: 'Theirs' })
    expect(await run({ file: result })).toMatchObject({ counts: { changed: 1, conflicts: 1 }, exitCode: 1 })
    expect(await names()).toEqual(['Mine', 'Theirs'])
    const first = readFileSync(file, 'utf8')
    writeFileSync(file, `${first}7,Lost,1,sold\n`)
    const out = join(folder, `${service.tables.pets}.csv`)
    await expect(run({ overwrite: true, out })).rejects.toThrow(
      /^Nothing is written\.\nLine 4, column id: no pet has the id 7/,
    )
    expect(await run({ overwrite: true, restore: true, out })).toMatchObject({ counts: { restored: 1, changed: 1 } })
  })

  it('checks the whole file and the result before it writes anything', async () => {
    write('name,categoryId', 'New,1', ',1')
    await expect(run()).rejects.toThrow(/^Nothing is written\.\nLine 3, column name: is missing; it must be a string/)
    write('name,categoryId', ...Array.from({ length: 150 }, () => 'A,x'))
    const error: Error = await run().catch((thrown) => thrown)
    expect(error.message.split('\n')).toHaveLength(102)
    write('name,categoryId', 'New,1')
    for (const out of ['/dev/null', join(folder, 'no-folder/out.csv'), file, folder]) {
      await expect(run({ out })).rejects.toThrow(/ exists\. Name another file\.$| does not exist\.$/)
    }
    expect([await all(), changes, readdirSync(join(file, '..'))]).toEqual([[], [], ['rows.csv']])
  })

  it('shows with --dry-run what it would do, and does nothing', async () => {
    const [one, two] = [await pet('One'), await pet('Two')]
    await toFile(file)
    await items.change(two, { ...two, status: 'pending' })
    appendFileSync(file, lineOf('New'))
    writeFileSync(file, readFileSync(file, 'utf8').replace('One', 'Mine'))
    const { json, exitCode } = await tryImport(
      place(),
      { file, restore: false, overwrite: false },
      new AbortController().signal,
    )
    expect([json, exitCode]).toMatchObject([
      {
        ...{ created: 1, changed: 1, conflicts: 1 },
        steps: expect.arrayContaining([
          { line: 4, action: 'create', old: null, new: { name: 'New', categoryId: 1n, status: 'available' } },
          { line: expect.any(Number), action: 'change', old: one, new: { ...one, name: 'Mine' } },
        ]),
      },
      1,
    ])
    expect([await names(), changes, readdirSync(join(file, '..'))]).toEqual([['One', 'Two'], [], ['rows.csv']])
  })

  it.each(['csv', 'jsonl'])('of a backup as %s gives every pet that the contract allows again', async (format) => {
    const backup = join(file, `../backup.${format}`)
    const restored = fc.asyncProperty(fc.array(contractPets(), { minLength: 1, maxLength: 30 }), async (newPets) => {
      for (const newPet of newPets) await addPet(service.pets, newPet, service.time.clock)
      const before = await all()
      await toFile(backup)
      for (const one of before) await items.remove(one)
      const { counts } = await run({ file: backup, restore: true })
      expect(counts).toEqual({ restored: before.length })
      const after = await all()
      for (const one of after) await items.remove(one)
      expect(new Map(after.map((one) => [one.id, one]))).toEqual(new Map(before.map((one) => [one.id, one])))
    })
    await fc.assert(restored, { numRuns: sized(5, 100) })
  })

  it('and an export see every pet that is there, whatever status others give it meanwhile', async () => {
    const pets = await Promise.all(Array.from({ length: 200 }, () => pet()))
    const out = join(file, '../pets.jsonl')
    let isExported = false
    const toggle = async (one: Pet): Promise<void> => {
      for (let old = one; !isExported; ) {
        const next: Pet = { ...old, status: old.status === 'sold' ? 'available' : 'sold' }
        await items.change(old, next)
        old = next
      }
    }
    const toggles = pets.slice(0, 20).map(toggle)
    await toFile(out)
    isExported = true
    await Promise.all(toggles)
    const ids = [...readFileSync(out, 'utf8').matchAll(/"id":(\d+)/g)].map(([, id = '']) => BigInt(id))
    expect(ids).toEqual(pets.map(({ id }) => id).toSorted((one, other) => (one < other ? 1 : -1)))
  })
})
