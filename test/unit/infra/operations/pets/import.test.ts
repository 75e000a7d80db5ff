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

  const report = (asked: Asked = {}, database = service.client) =>
    importPets({ ...place(database), audit }, { file, ...asked })

  /** @returns what the import says last of its rows, and its exit code where it is not 0 */
  const run = async (asked?: Asked, database?: typeof service.client): Promise<string> => {
    const { text, exitCode = 0 } = await report(asked, database)
    const [sum = ''] = text.match(/^\d.*\.$/m) ?? []
    return exitCode === 0 ? sum : `${sum} ${exitCode}`
  }

  const all = async (): Promise<Pet[]> => (await Array.fromAsync(scanPets(place()))).flat()
  const names = async () => (await all()).map(({ name }) => name).toSorted()
  const files = () => readdirSync(dirname(file)).toSorted()
  const pet = (name = 'Bella'): Promise<Pet> => {
    service.time.advance(1)
    return addPet(service.pets, { name, categoryId: 1n, status: 'available' }, service.time.clock)
  }
  /** As a colleague does. */
  const change = async ({ id }: Pet, wanted: Pet | undefined) =>
    writeItem(place(), id, (await findItems(place(), [id])).get(id), wanted, 'restore')
  /** Exports the pets, replaces words in the file, and adds rows of new pets. */
  const edited = async (words: Readonly<Record<string, string>>, ...added: readonly string[]): Promise<void> => {
    await exportPets(place(), { out: file })
    const text = readFileSync(file, 'utf8').replaceAll(/\w+( \d+)?/g, (word) => words[word] ?? word)
    writeFileSync(file, text + added.map(lineOf).join(''))
  }
  const numbered = (count: number) => Array.from({ length: count }, (_, row) => `New ${row}`)
  const newRows = (count: number): void =>
    writeFileSync(
      file,
      `name,categoryId\n${numbered(count)
        .map((name) => `${name},1\n`)
        .join('')}`,
    )
  /** The line of a new pet in an export. */
  const lineOf = (name: string): string => `${columns.map((column) => ({ name, categoryId: 1 })[column] ?? '')}\n`
  /** Does something once, when it makes a call. */
  const once = (operation: 'PutItem' | 'BatchGetItem', act: (input: Readonly<Record<string, unknown>>) => unknown) => {
    const before = vi.fn().mockImplementationOnce(act)
    return interceptingClient(engine, operation, before)
  }
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
    await edited({ Changed: 'Max' }, 'New', 'Newer')
    // The SDK retries each write, as its response is lost.
    expect(await run({}, forgetfulClient(engine))).toBe('2 created, 1 changed, 1 left.')
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
    const [own, both, removed, sold] = pets as [Pet, Pet, Pet, Pet]
    await edited({ 'Pet 10': 'Mine', 'Pet 11': 'Also mine' })
    const theirs = { ...both, name: 'Theirs' }
    await change(both, theirs)
    await change(sold, { ...sold, status: 'sold' })
    await change(removed, undefined)
    const expected = (await all()).map((one) => (one.id === own.id ? { ...one, name: 'Mine' } : one))
    expect(await run()).toBe('1 changed, 8 left, 3 refused. 1')
    expect(new Set(await all())).toEqual(new Set(expected))
    // The same command does not overwrite after all.
    const again = await report()
    expect(again).toMatchObject({ json: { left: 9, refused: 3 }, exitCode: 1 })
    const conflict = { line: expect.any(Number), outcome: 'refused', reason: expect.any(String) }
    const yours = { ...both, name: 'Also mine' }
    expect(again.json['steps']).toContainEqual({ ...conflict, old: both, theirs, yours })
    expect(again.json['steps']).toContainEqual({ ...conflict, old: removed, theirs: undefined, yours: removed })
    expect(new Set(await all())).toEqual(new Set(expected))
  })

  it('leaves a pet that somebody else changes at that moment, and records that its change was refused', async () => {
    const [mine, theirs] = [await pet('Mine'), await pet('Theirs')]
    await edited({ available: 'sold' })
    let changing: Promise<unknown> | undefined
    const raced = interceptingClient(engine, 'PutItem', async () => {
      changing ??= change(theirs, { ...theirs, name: 'Changed' })
      await changing
    })
    expect(await run({}, raced)).toBe('1 changed, 1 refused. 1')
    const expected = [
      { ...mine, status: 'sold' },
      { ...theirs, name: 'Changed' },
    ]
    expect(new Set(await all())).toEqual(new Set(expected))
    expect(changes.at(-1)).toMatchObject({ ids: [`${theirs.id}`], refused: 'changed meanwhile' })
  })

  it.each([
    ['a failure', 119, 1, () => failing(120)],
    ['an interruption', 99, 130, () => once('PutItem', interruptHere)],
  ])(
    'that %s ends goes on from its result: each pet once, and a conflict again',
    async (_what, begun, exitCode, ending) => {
      const theirs = await pet('Theirs')
      await edited({}, ...numbered(300))
      await change(theirs, { ...theirs, status: 'sold' })
      const ended = { message: expect.stringMatching(`To go on, import ${result}.$`), exitCode }
      await expect(run({}, ending())).rejects.toMatchObject(ended)
      const added = (await all()).filter(({ name }) => name.startsWith('New'))
      expect(added).toHaveLength(begun)
      // What others do to its new pets meanwhile is neither undone nor a conflict.
      const [sold, removed] = added as [Pet, Pet]
      await change(sold, { ...sold, status: 'sold' })
      await change(removed, undefined)
      expect(await run({ file: result })).toBe(`${300 - begun} created, ${begun} left, 1 refused. 1`)
      expect(new Set(await names()).size).toBe(300)
      expect(await all()).toContainEqual({ ...sold, status: 'sold' })
      expect(await run({ file: result })).toBe('300 left, 1 refused. 1')
      expect(files()).toEqual(['rows.csv', 'rows.imported-local.csv'])
    },
  )

  it('does not begin again: its result is refused beside the file, and says both ways on', async () => {
    newRows(1)
    await run()
    const refusal = /rows\.imported-local\.csv is there: .* Import .* to go on, .* with --out\.$/
    await expect(run()).rejects.toThrow(refusal)
    await expect(importPets(place(), { file })).rejects.toThrow(refusal)
    appendFileSync(result, lineOf('Appended'))
    expect(await run({ file: result })).toBe('1 created, 1 left.')
    await expect(run({ file: result })).rejects.toThrow('rows.imported-local.imported-local.csv is there')
    // Another data folder is another environment.
    const elsewhere = await importPets({ ...place(), audit, data: '/elsewhere' }, { file })
    expect(elsewhere.json['created']).toBe(1)
    expect(await run({ out: `${file}.jsonl` })).toBe('1 created.')
    expect(await names()).toEqual(['Appended', 'New 0', 'New 0', 'New 0'])
  })

  it('adds each pet once where two of one file, or of one result, run at the same moment', async () => {
    newRows(150)
    const outcomes = await Promise.allSettled([run(), run()])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await all()).toHaveLength(150)
    service = await openService(engine)
    const both = await Promise.all([run({ file: result }), run({ file: result })])
    expect([both.join().includes('refused'), (await all()).length, files().length]).toEqual([false, 150, 2])
  })

  it('reports a new pet whose id another one gets at that moment, and does not take that one for its own', async () => {
    newRows(1)
    const raced = once('PutItem', async ({ Item }) => {
      const same = { name: 'New 0', categoryId: 1n, status: 'available' } as const
      await service.pets.put({ ...same, id: BigInt(Object(Item).id) }, 'another attempt')
    })
    expect([await run({}, raced), await run({ file: result })]).toEqual(['1 refused. 1', '1 refused. 1'])
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
    expect(await run({ overwrite: true })).toBe('2 changed, 1 refused. 1')
    expect(await run(overwrite)).toBe('1 restored, 2 left.')
    await change(two, { ...two, name: 'Theirs' })
    expect(await run(overwrite)).toBe('1 changed, 2 left.')
    // With a new row, for which there is a result.
    appendFileSync(file, ',New,1,sold\n')
    await expect(run(overwrite, failing(1))).rejects.toThrow(`To go on, import ${result} --restore --overwrite.`)
    expect(await run({ file: result, ...overwrite })).toBe('1 created, 3 left.')
    expect(await names()).toEqual(['Lost', 'Mine', 'Mine', 'New'])
  })

  it('writes nothing where its result cannot be written, or where it is interrupted before', async () => {
    newRows(1)
    for (const out of ['/dev/null', join(file, '../no-folder/out.csv'), file, dirname(file)]) {
      await expect(run({ out })).rejects.toThrow(/ exists\. Name another file\.$| does not exist\.$/)
    }
    const nothing = { message: 'Interrupted. Nothing is written. Run the same command again.', exitCode: 130 }
    await expect(run({}, once('BatchGetItem', interruptHere))).rejects.toMatchObject(nothing)
    expect([await all(), changes, files()]).toEqual([[], [], ['rows.csv']])
  })

  it('shows without an audit what it would do, and does nothing', async () => {
    const [one, two] = [await pet('One'), await pet('Two')]
    await edited({ One: 'Mine' }, 'New')
    const theirs = { ...two, status: 'pending' } as const
    await change(two, theirs)
    const { json, exitCode } = await importPets(place(), { file })
    expect([json, exitCode]).toMatchObject([{ created: 1, changed: 1, refused: 1 }, 1])
    expect(json['steps']).toEqual([
      { line: 2, outcome: 'refused', reason: expect.any(String), old: two, theirs, yours: two },
      { line: 3, outcome: 'changed', old: one, new: { ...one, name: 'Mine' } },
      { line: 4, outcome: 'created', new: { name: 'New', categoryId: 1n, status: 'available' } },
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
    await edited({})
    isExported = true
    await Promise.all(toggles)
    const ids = [...readFileSync(file, 'utf8').matchAll(/^\d+/gm)].map(([id]) => BigInt(id))
    expect(ids).toEqual(pets.map(({ id }) => id).toSorted((one, other) => (one < other ? 1 : -1)))
  })
})
