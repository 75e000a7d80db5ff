import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Audit, Change } from '../../../../../infra/operations/environment/audit.ts'
import { exportPets } from '../../../../../infra/operations/pets/export.ts'
import { importPets } from '../../../../../infra/operations/pets/import.ts'
import { addPet } from '../../../../../shared/pets/add-pet.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { forgetfulClient, interceptingClient } from '../../../../fixtures/client-middleware.ts'
import { interruptCommand } from '../../../../fixtures/commands.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'
import { colleagueAt } from './colleague.ts'

describeOnEachEngine('an import', (engine) => {
  let service: Service
  let colleague: ReturnType<typeof colleagueAt>
  let file: string
  let result: string
  let changes: Change[]
  const open = async (): Promise<void> => {
    service = await openService(engine)
    // What is imported is newer.
    service.time.set(Date.now() - 3_600_000)
    colleague = colleagueAt(environment())
    changes = []
  }
  beforeEach(async () => {
    await open()
    file = join(createTemporaryFolder(), 'rows.jsonl')
    result = file.replace('.jsonl', '.imported-local.jsonl')
  })

  const environment = (database = service.client) => ({
    name: 'local' as const,
    baseUrl: '',
    auditTrail: { file: '' },
    tables: service.tables,
    database,
    [Symbol.dispose]: () => undefined,
  })
  const audit: Audit = {
    record: async (recorded) => void changes.push(...recorded),
    recordThenMake: async (change, make) => {
      changes.push(change)
      return make()
    },
  }
  type Asked = Partial<Parameters<typeof importPets>[2]>

  const report = (asked: Asked = {}, database = service.client) =>
    importPets(environment(database), audit, { file, ...asked })

  /** @returns what the import says last of its rows, and its exit code where it is not 0 */
  const run = async (asked?: Asked, database?: typeof service.client): Promise<string> => {
    const { text, exitCode = 0 } = await report(asked, database)
    const [sum = ''] = text.match(/^\d.*\.$/m) ?? []
    return exitCode === 0 ? sum : `${sum} ${exitCode}`
  }

  const names = async () => (await colleague.all()).map(({ name }) => name).toSorted()
  const files = () => readdirSync(dirname(file)).toSorted()
  const pet = (name = 'Bella'): Promise<Pet> => {
    service.time.advance(1)
    return addPet(service.pets, { name, categoryId: 1n, status: 'available' }, service.time.clock)
  }
  const newRow = (name: string) => ({ name, categoryId: 1 })
  const numbered = (count: number) => Array.from({ length: count }, (_, row) => `New ${row}`)
  const textOf = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const writeNew = (count: number): void => writeFileSync(file, textOf(numbered(count).map(newRow)))
  /** Exports the pets, edits the rows of some by their names, and adds new ones. */
  const edit = async (edits: Readonly<Record<string, object>>, ...added: readonly string[]): Promise<void> => {
    await exportPets(environment(), { out: file })
    const rows =
      readFileSync(file, 'utf8')
        .match(/.+/g)
        ?.map((row) => JSON.parse(row)) ?? []
    writeFileSync(file, textOf([...rows.map((row) => ({ ...row, ...edits[row.name] })), ...added.map(newRow)]))
  }
  /** Does something once, when it makes a call. */
  const once = (operation: 'PutItem' | 'BatchGetItem', act: (input: Readonly<Record<string, unknown>>) => unknown) =>
    interceptingClient(engine, operation, vi.fn().mockImplementationOnce(act))
  /** Fails from some write on, as a connection does. */
  const failing = (at: number) => {
    let calls = 0
    return interceptingClient(engine, 'PutItem', async () => {
      calls += 1
      if (calls >= at) throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: {} })
    })
  }

  it('adds, changes and leaves pets, the last row as the newest, and records each change', async () => {
    const [changed, left] = [await pet('Changed'), await pet('Left')]
    await edit({ Changed: { name: 'Max' } }, 'New', 'Newer')
    // The SDK retries each write, as its response is lost.
    expect(await run({}, forgetfulClient(engine))).toBe('2 created, 1 changed, 1 left.')
    const max = { ...changed, name: 'Max' }
    const [, , ...added] = await colleague.all()
    expect(await colleague.all()).toMatchObject([max, left, { name: 'New' }, { name: 'Newer' }])
    const recorded = [{ old: changed, new: max }, ...added.map((one) => ({ old: null, new: one }))]
    const entries = recorded.map((one) => ({ ...one, action: 'pets import', ids: [`${one.new.id}`] }))
    expect(new Set(changes)).toEqual(new Set(entries))
  })

  it('leaves what a colleague did since the export, lists it with old, theirs and yours, and exits with 1', async () => {
    const [own, both, removed, sold] = [await pet('Own'), await pet('Both'), await pet('Removed'), await pet('Sold')]
    await edit({ Own: { name: 'Mine' }, Both: { name: 'Also mine' } }, 'New')
    const theirs = { ...both, name: 'Theirs' }
    await colleague.change(both.id, theirs)
    await colleague.change(sold.id, { ...sold, status: 'sold' })
    await colleague.change(removed.id, undefined)
    const before = await colleague.all()
    const refused = [
      { line: 1, outcome: 'refused', old: sold, theirs: { ...sold, status: 'sold' }, yours: sold },
      { line: 2, outcome: 'refused', old: removed, theirs: undefined, yours: removed },
      { line: 3, outcome: 'refused', old: both, theirs, yours: { ...both, name: 'Also mine' } },
    ]
    const mine = { ...own, name: 'Mine' }
    const changed = { line: 4, outcome: 'changed', old: own, new: mine }
    const created = { line: 5, outcome: 'created', new: { name: 'New', categoryId: 1n, status: 'available' } }
    // Without an audit nothing is done.
    const foreseen = { json: { steps: [...refused, changed, created] }, exitCode: 1 }
    expect(await importPets(environment(), undefined, { file })).toMatchObject(foreseen)
    expect([await colleague.all(), files()]).toEqual([before, ['rows.jsonl']])
    expect(await report()).toMatchObject({ json: { created: 1, changed: 1, steps: refused }, exitCode: 1 })
    const after = [mine, ...before.slice(1), expect.objectContaining({ name: 'New' })]
    expect(await colleague.all()).toEqual(after)
    // The same again does not overwrite after all.
    expect(await report({ file: result })).toMatchObject({ json: { left: 2, steps: refused }, exitCode: 1 })
    expect(await colleague.all()).toEqual(after)
  })

  it('leaves a pet that somebody else changes at that moment, and records that its change was refused', async () => {
    const [mine, other] = [await pet('Mine'), await pet('Other')]
    await edit({ Mine: { status: 'sold' }, Other: { status: 'sold' } })
    const theirs = { ...other, name: 'Theirs' }
    let changing: Promise<void> | undefined
    const raced = interceptingClient(engine, 'PutItem', () => (changing ??= colleague.change(other.id, theirs)))
    expect(await run({}, raced)).toBe('1 changed, 1 refused. 1')
    expect(await colleague.all()).toEqual([{ ...mine, status: 'sold' }, theirs])
    expect(changes.at(-1)).toMatchObject({ ids: [`${other.id}`], failed: 'changed meanwhile' })
  })

  it.each([
    ['a failure', 119, 1, () => failing(120)],
    ['an interruption', 99, 130, () => once('PutItem', interruptCommand)],
  ])('that %s ends goes on from its result, each pet once', async (_what, begun, exitCode, ending) => {
    const theirs = await pet('Theirs')
    await edit({}, ...numbered(300))
    await colleague.change(theirs.id, { ...theirs, status: 'sold' })
    const ended = { message: expect.stringMatching(`To go on, import ${result}.$`), exitCode }
    await expect(run({}, ending())).rejects.toMatchObject(ended)
    const added = (await colleague.all()).slice(1)
    expect(added).toHaveLength(begun)
    // What others do to its new pets meanwhile is neither undone nor refused.
    const [sold, removed] = added as [Pet, Pet]
    await colleague.change(sold.id, { ...sold, status: 'sold' })
    await colleague.change(removed.id, undefined)
    expect(await run({ file: result })).toBe(`${300 - begun} created, ${begun} left, 1 refused. 1`)
    expect(new Set(await names()).size).toBe(300)
    expect(await colleague.all()).toContainEqual({ ...sold, status: 'sold' })
    expect(await run({ file: result })).toBe('300 left, 1 refused. 1')
    expect(files()).toEqual(['rows.imported-local.jsonl', 'rows.jsonl'])
  })

  it('does not begin again: its result is refused beside the file, and says both ways on', async () => {
    writeNew(1)
    await run()
    const refusal = /rows\.imported-local\.jsonl is there: .* Import .* to go on, .* with --out\.$/
    await expect(run()).rejects.toThrow(refusal)
    await expect(importPets(environment(), undefined, { file })).rejects.toThrow(refusal)
    appendFileSync(result, textOf([newRow('Appended')]))
    expect(await run({ file: result })).toBe('1 created, 1 left.')
    await expect(run({ file: result })).rejects.toThrow('rows.imported-local.imported-local.jsonl is there')
    // Another data folder is another environment.
    const elsewhere = await importPets({ ...environment(), dataFolder: '/elsewhere' }, audit, { file })
    expect(elsewhere.json['created']).toBe(1)
    expect(await run({ out: `${file}.csv` })).toBe('1 created.')
    expect(await names()).toEqual(['Appended', 'New 0', 'New 0', 'New 0'])
  })

  it('adds each pet once where two of one file, or of one result, run at the same moment', async () => {
    writeNew(150)
    const outcomes = await Promise.allSettled([run(), run()])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await colleague.all()).toHaveLength(150)
    await open()
    const both = await Promise.all([run({ file: result }), run({ file: result })])
    expect([both.join().includes('refused'), (await colleague.all()).length, files().length]).toEqual([false, 150, 2])
  })

  it('reports a new pet whose id another one gets at that moment, and does not take that one for its own', async () => {
    writeNew(1)
    const raced = once('PutItem', async ({ Item }) => {
      const same = { name: 'New 0', categoryId: 1n, status: 'available' } as const
      await service.pets.put({ ...same, id: BigInt(Object(Item).id) }, 'another attempt')
    })
    expect([await run({}, raced), await run({ file: result })]).toEqual(['1 refused. 1', '1 refused. 1'])
    expect(await colleague.all()).toHaveLength(1)
  })

  it('takes rows without versions only with --overwrite, again and again', async () => {
    const [one, two] = [await pet('One'), await pet('Two')]
    const rows = [one.id, two.id, 7n].map((id) => ({ ...newRow('Mine'), id: Number(id), status: 'sold' }))
    writeFileSync(file, textOf(rows))
    await expect(run()).rejects.toThrow(/^Nothing is written\.\nLine 1: version is missing/)
    const overwrite = { overwrite: true, restore: true }
    await expect(run(overwrite, failing(1))).rejects.toThrow('To go on, run the same command again.')
    // No pet has the id 7.
    expect(await run({ overwrite: true })).toBe('2 changed, 1 refused. 1')
    expect(await run(overwrite)).toBe('1 restored, 2 left.')
    await colleague.change(two.id, { ...two, name: 'Theirs' })
    expect(await run(overwrite)).toBe('1 changed, 2 left.')
    // With a new row, for which there is a result.
    appendFileSync(file, textOf([newRow('New')]))
    await expect(run(overwrite, failing(1))).rejects.toThrow(`To go on, import ${result} --restore --overwrite.`)
    expect(await run({ file: result, ...overwrite })).toBe('1 created, 3 left.')
    expect(await names()).toEqual(['Mine', 'Mine', 'Mine', 'New'])
  })

  it('writes nothing where its result cannot be written, or where it is interrupted before', async () => {
    writeNew(1)
    await expect(run({ out: '/no-folder/out.csv' })).rejects.toThrow('The folder /no-folder does not exist.')
    const nothing = { message: 'Interrupted. Nothing is written. Run the same command again.', exitCode: 130 }
    await expect(run({}, once('BatchGetItem', interruptCommand))).rejects.toMatchObject(nothing)
    expect([await colleague.all(), changes, files()]).toEqual([[], [], ['rows.jsonl']])
  })

  it('and an export see every pet that is there, whatever status others give it meanwhile', async () => {
    const pets = await Promise.all(Array.from({ length: 200 }, () => pet()))
    let isExported = false
    const toggle = async (one: Pet): Promise<void> => {
      for (let { status } = one; !isExported; status = status === 'sold' ? 'available' : 'sold') {
        await colleague.change(one.id, { ...one, status })
      }
    }
    const toggles = pets.slice(0, 20).map(toggle)
    await edit({})
    isExported = true
    await Promise.all(toggles)
    const ids = [...readFileSync(file, 'utf8').matchAll(/"id":(\d+)/g)].map(([, id = '']) => BigInt(id))
    expect(ids).toEqual(pets.map(({ id }) => id).toSorted((one, other) => (one < other ? 1 : -1)))
  })
})
