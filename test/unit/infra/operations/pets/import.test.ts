import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { exportPets } from '../../../../../infra/operations/pets/export.ts'
import { importPets } from '../../../../../infra/operations/pets/import.ts'
import { findItems, scanPets, writeItem } from '../../../../../infra/operations/pets/pet-items.ts'
import { columns } from '../../../../../infra/operations/pets/rows/format.ts'
import type { Change } from '../../../../../infra/operations/target/audit.ts'
import { addPet } from '../../../../../shared/pets/add-pet.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { forgetfulClient, interceptingClient } from '../../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { interruptHere } from '../running-here.ts'

describeOnEachEngine('an import', (engine) => {
  let service: Service
  let file: string
  let result: string
  let changes: Change[]
  beforeEach(async () => {
    service = await openService(engine)
    const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-import-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    file = join(folder, 'rows.csv')
    result = join(folder, 'rows.imported-local.csv')
    changes = []
  })

  const place = (database = service.client) => ({
    ...{ environment: 'local' as const, baseUrl: '', auditTrail: { file: '' }, tables: service.tables, database },
    ...{ [Symbol.dispose]: () => undefined, print: async () => undefined },
  })
  const audit = async (recorded: readonly Change[]): Promise<void> => void changes.push(...recorded)
  type Asked = Partial<Parameters<typeof importPets>[1]>

  const run = async (asked: Asked = {}, database = service.client) => {
    const { json, exitCode = 0 } = await importPets({ ...place(database), audit }, { file, ...asked })
    const { steps, file: out, ...counts } = json
    const counted = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))
    return { steps, counts: counted, exitCode, out }
  }

  const all = async (): Promise<Pet[]> => (await Array.fromAsync(scanPets(place()))).flat()
  const names = async () => (await all()).map(({ name }) => name).toSorted()
  const files = () => readdirSync(dirname(file)).toSorted()
  const export_ = (out = file) => exportPets(place(), { format: 'csv', out })
  const pet = (name = 'Bella'): Promise<Pet> => {
    service.time.advance(1)
    return addPet(service.pets, { name, categoryId: 1n, status: 'available' }, service.time.clock)
  }
  /** As a colleague does. */
  const change = async ({ id }: Pet, wanted: Pet | undefined) =>
    writeItem(place(), id, (await findItems(place(), [id])).get(id), wanted, 'restore')
  const edit = (...words: readonly (readonly [string, string])[]): void => {
    const edited = words.reduce((text, [from, to]) => text.replaceAll(from, to), readFileSync(file, 'utf8'))
    writeFileSync(file, edited)
  }
  const newRows = (count: number): void =>
    writeFileSync(file, `name,categoryId\n${Array.from({ length: count }, (_, row) => `New ${row},1\n`).join('')}`)
  /** The line of a new pet in an export. */
  const lineOf = (name: string): string => `${columns.map((column) => ({ name, categoryId: 1 })[column] ?? '')}\n`
  /** Fails at some write, as a connection does. */
  const failing = (at: number) => {
    let calls = 0
    return interceptingClient(engine, 'PutItem', async () => {
      calls += 1
      if (calls >= at) throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: {} })
    })
  }

  it('adds, changes and leaves pets, the last row as the newest, and records each change', async () => {
    const [changed, left] = [await pet('Changed'), await pet('Left')]
    await export_()
    appendFileSync(file, lineOf('New') + lineOf('Newer'))
    edit(['Changed', 'Max'])
    // The SDK retries each write, as its response is lost.
    const expected = { counts: { created: 2, changed: 1, left: 1 }, steps: [], exitCode: 0, out: result }
    expect(await run({}, forgetfulClient(engine))).toEqual(expected)
    const pets = await all()
    const added = pets.filter(({ name }) => name.startsWith('New')).toSorted((one, other) => Number(one.id - other.id))
    expect(added.map(({ name }) => name)).toEqual(['New', 'Newer'])
    const max = { ...changed, name: 'Max' }
    expect(new Set(pets)).toEqual(new Set([max, left, ...added]))
    const recorded = [{ old: changed, new: max }, ...added.map((one) => ({ old: null, new: one }))]
    const entries = recorded.map((one) => ({ ...one, action: 'pets import', ids: [`${one.new.id}`] }))
    expect(new Set(changes)).toEqual(new Set(entries))
  })

  it('of an export leaves what a colleague did since, lists it with old, theirs and yours, and exits with 1', async () => {
    const pets = await Promise.all(Array.from({ length: 12 }, (_, number) => pet(`Pet ${number + 10}`)))
    const [edited, both, removed, sold] = pets as [Pet, Pet, Pet, Pet]
    await export_()
    await change(both, { ...both, name: 'Theirs', status: 'sold' })
    await change(sold, { ...sold, status: 'sold' })
    await change(removed, undefined)
    edit(['Pet 10', 'Mine'], ['Pet 11', 'Also mine'])
    const before = await all()
    const { counts, steps, exitCode } = await run()
    expect([counts, exitCode]).toEqual([{ changed: 1, conflicts: 3, left: 8 }, 1])
    const conflict = { line: expect.any(Number), action: 'conflict' }
    const yours = { ...both, name: 'Also mine' }
    expect(steps).toContainEqual({ ...conflict, old: both, theirs: { ...both, name: 'Theirs', status: 'sold' }, yours })
    expect(steps).toContainEqual({ ...conflict, old: removed, theirs: undefined, yours: removed })
    const expected = new Set(before.map((one) => (one.id === edited.id ? { ...one, name: 'Mine' } : one)))
    // The same command does not overwrite after all.
    expect(await run()).toMatchObject({ counts: { conflicts: 3, left: 9 }, exitCode: 1 })
    expect(new Set(await all())).toEqual(expected)
    const overwritten = await run({ overwrite: true, restore: true }, forgetfulClient(engine))
    expect(overwritten).toMatchObject({ counts: { changed: 2, restored: 1, left: 9 }, exitCode: 0 })
    expect(await names()).toEqual(['Also mine', 'Mine', ...pets.slice(2).map(({ name }) => name)])
  })

  it('leaves a pet that somebody else changes at that moment, and records that its change was refused', async () => {
    const [mine, theirs] = [await pet('Mine'), await pet('Theirs')]
    await export_()
    edit(['available', 'sold'])
    let changing: Promise<unknown> | undefined
    const raced = interceptingClient(engine, 'PutItem', async () => {
      changing ??= change(theirs, { ...theirs, name: 'Changed' })
      await changing
    })
    expect(await run({}, raced)).toMatchObject({ counts: { changed: 1, conflicts: 1 }, exitCode: 1 })
    expect(await all()).toContainEqual({ ...mine, status: 'sold' })
    expect(await all()).toContainEqual({ ...theirs, name: 'Changed' })
    expect(changes.at(-1)).toMatchObject({ ids: [`${theirs.id}`], refused: 'changed meanwhile' })
  })

  it('that stops goes on from its result, adds each pet once, and reports a conflict again', async () => {
    const theirs = await pet('Theirs')
    await export_()
    await change(theirs, { ...theirs, status: 'sold' })
    appendFileSync(file, Array.from({ length: 300 }, (_, row) => lineOf(`New ${row}`)).join(''))
    await expect(run({}, failing(120))).rejects.toThrow(`To go on, import ${result}.`)
    const begun = (await all()).filter(({ name }) => name.startsWith('New'))
    expect(begun).toHaveLength(119)
    // What others do to its new pets meanwhile is neither undone nor a conflict.
    const [sold, removed] = begun as [Pet, Pet]
    await change(sold, { ...sold, status: 'sold' })
    await change(removed, undefined)
    const { counts, exitCode } = await run({ file: result })
    expect([counts, exitCode]).toEqual([{ conflicts: 1, left: 119, created: 181 }, 1])
    expect(new Set(await names()).size).toBe(300)
    expect(await all()).toContainEqual({ ...sold, status: 'sold' })
    expect(await run({ file: result })).toMatchObject({ counts: { conflicts: 1, left: 300 }, exitCode: 1 })
  })

  it('that is interrupted says how to go on, exits with 130, and leaves no file behind but its result', async () => {
    newRows(300)
    const end = vi.fn().mockImplementationOnce(interruptHere)
    const atOnce = run({}, interceptingClient(engine, 'BatchGetItem', end))
    const nothing = { message: 'Interrupted. Nothing is written. Run the same command again.', exitCode: 130 }
    await expect(atOnce).rejects.toMatchObject(nothing)
    expect([files(), changes]).toEqual([['rows.csv'], []])
    const endLater = vi.fn().mockImplementationOnce(interruptHere)
    const interrupted = { message: `Interrupted. To go on, import ${result}.`, exitCode: 130 }
    await expect(run({}, interceptingClient(engine, 'PutItem', endLater))).rejects.toMatchObject(interrupted)
    // What is recorded is made.
    expect([(await all()).length, changes.length]).toEqual([100, 100])
    await run({ file: result })
    expect([new Set(await names()).size, files()]).toEqual([300, ['rows.csv', 'rows.imported-local.csv']])
  })

  it('does not begin again: its result is refused beside the file, and says both ways on', async () => {
    newRows(1)
    await run()
    const refusal = /rows\.imported-local\.csv is there: .* Import .* to go on, .* with --out\.$/
    await expect(run()).rejects.toThrow(refusal)
    await expect(importPets(place(), { file })).rejects.toThrow(refusal)
    appendFileSync(result, lineOf('Appended'))
    expect(await run({ file: result })).toMatchObject({ counts: { created: 1, left: 1 } })
    await expect(run({ file: result })).rejects.toThrow('rows.imported-local.imported-local.csv is there')
    expect(await names()).toEqual(['Appended', 'New 0'])
    // Another data folder is another environment.
    const elsewhere = await importPets({ ...place(), audit, data: '/elsewhere' }, { file })
    expect(elsewhere.json).toMatchObject({ created: 1 })
    expect(await run({ out: `${file}.jsonl` })).toMatchObject({ counts: { created: 1 } })
    expect(await names()).toEqual(['Appended', 'New 0', 'New 0', 'New 0'])
  })

  it('adds each pet once where two of one file, or of one result, run at the same moment', async () => {
    newRows(150)
    const outcomes = await Promise.allSettled([run(), run()])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await all()).toHaveLength(150)
    service = await openService(engine)
    const [one, two] = await Promise.all([run({ file: result }), run({ file: result })])
    expect([one.exitCode, two.exitCode]).toEqual([0, 0])
    expect([(await all()).length, files()]).toEqual([150, ['rows.csv', 'rows.imported-local.csv']])
  })

  it('reports a new pet whose id another one gets at that moment, and does not take that one for its own', async () => {
    newRows(1)
    const raced = interceptingClient(engine, 'PutItem', async ({ Item }) => {
      const same = { name: 'New 0', categoryId: 1n, status: 'available' } as const
      await service.pets.put({ ...same, id: BigInt(Object(Item).id) }, 'another attempt')
    })
    for (const again of [() => run({}, raced), () => run({ file: result })]) {
      expect(await again()).toMatchObject({ counts: { conflicts: 1 }, exitCode: 1 })
    }
    expect(await all()).toHaveLength(1)
  })

  it('takes rows without versions only with --overwrite, again and again', async () => {
    const [one, two] = [await pet('One'), await pet('Two')]
    const rows = [`${one.id},Mine,1,sold`, `${two.id},Mine,1,sold`, '7,Lost,1,sold', '']
    writeFileSync(file, ['id,name,categoryId,status', ...rows].join('\n'))
    await expect(run()).rejects.toThrow(/^Nothing is written\.\nLine 2: version is missing/)
    const overwrite = { overwrite: true, restore: true }
    await expect(run(overwrite, failing(1))).rejects.toThrow('To go on, run the same command again.')
    // No pet has the id 7.
    expect(await run({ overwrite: true })).toMatchObject({ counts: { changed: 2, conflicts: 1 }, exitCode: 1 })
    expect(await run(overwrite)).toMatchObject({ counts: { restored: 1, left: 2 }, exitCode: 0 })
    await change(two, { ...two, name: 'Theirs' })
    expect(await run(overwrite)).toMatchObject({ counts: { changed: 1, left: 2 }, exitCode: 0, out: undefined })
    expect(await names()).toEqual(['Lost', 'Mine', 'Mine'])
    // With a new row, for which there is a result.
    appendFileSync(file, ',New,1,sold\n')
    await expect(run(overwrite, failing(1))).rejects.toThrow(`To go on, import ${result} --restore --overwrite.`)
    expect(await run({ file: result, ...overwrite })).toMatchObject({ counts: { created: 1, left: 3 }, exitCode: 0 })
  })

  it('checks the whole file and the result before it writes anything', async () => {
    writeFileSync(file, 'name,categoryId\nNew,1\n,1\n')
    await expect(run()).rejects.toThrow(/^Nothing is written\.\nLine 3: name is missing/)
    newRows(1)
    for (const out of ['/dev/null', join(file, '../no-folder/out.csv'), file, dirname(file)]) {
      await expect(run({ out })).rejects.toThrow(/ exists\. Name another file\.$| does not exist\.$/)
    }
    expect([await all(), changes, files()]).toEqual([[], [], ['rows.csv']])
  })

  it('shows without an audit what it would do, and does nothing', async () => {
    const [one, two] = [await pet('One'), await pet('Two')]
    await export_()
    await change(two, { ...two, status: 'pending' })
    appendFileSync(file, lineOf('New'))
    edit(['One', 'Mine'])
    const { json, exitCode } = await importPets(place(), { file })
    const created = { name: 'New', categoryId: 1n, status: 'available' }
    expect([json, exitCode]).toMatchObject([{ created: 1, changed: 1, conflicts: 1 }, 1])
    expect(json['steps']).toEqual([
      { line: 2, action: 'conflict', old: two, theirs: { ...two, status: 'pending' }, yours: two },
      { line: 3, action: 'change', old: one, new: { ...one, name: 'Mine' } },
      { line: 4, action: 'create', new: created },
    ])
    expect([await names(), files()]).toEqual([['One', 'Two'], ['rows.csv']])
  })

  it('and an export see every pet that is there, whatever status others give it meanwhile', async () => {
    const pets = await Promise.all(Array.from({ length: 200 }, () => pet()))
    let isExported = false
    const toggle = async (one: Pet): Promise<void> => {
      for (let status = one.status; !isExported; status = status === 'sold' ? 'available' : 'sold') {
        await change(one, { ...one, status })
      }
    }
    const toggles = pets.slice(0, 20).map(toggle)
    await export_()
    isExported = true
    await Promise.all(toggles)
    const ids = [...readFileSync(file, 'utf8').matchAll(/^\d+/gm)].map(([id]) => BigInt(id))
    expect(ids).toEqual(pets.map(({ id }) => id).toSorted((one, other) => (one < other ? 1 : -1)))
  })
})
