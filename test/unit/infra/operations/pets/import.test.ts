import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { allPets } from '../../../../../infra/operations/pets/export-pets.ts'
import { ImportJournal } from '../../../../../infra/operations/pets/import-journal.ts'
import { checkFile, importRows } from '../../../../../infra/operations/pets/import-pets.ts'
import { PetTable } from '../../../../../infra/operations/pets/pet-table.ts'
import { savePets } from '../../../../../infra/operations/pets/write-pets.ts'
import type { Change } from '../../../../../infra/operations/target/audit.ts'
import { addPet } from '../../../../../shared/pets/add-pet.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { newPetId } from '../../../../../shared/pets/pet-id.ts'
import { interceptingClient } from '../../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-import-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

describeOnEachEngine('an import', (engine) => {
  let service: Service
  let table: PetTable
  let file: string
  let changes: Change[]
  beforeEach(async () => {
    service = await openService(engine)
    table = new PetTable(service.client, service.tables.pets)
    file = join(folder, service.tables.pets)
    changes = []
  })

  const write = (rows: readonly string[]): void => writeFileSync(file, rows.map((row) => `${row}\n`).join(''))

  const all = (): Promise<Pet[]> => Array.fromAsync(allPets(table.store, undefined))

  const journalOf = (sha256: string): Promise<ImportJournal> =>
    ImportJournal.open(`${file}.json`, { sha256, table: service.tables.pets })

  /** Imports the file from the journal on. */
  const run = async ({ by = table, sha256 = 'one', restores = false, signal = new AbortController().signal } = {}) => {
    const work = { table: by, file, restores, journal: await journalOf(sha256), givesBack: true, signal }
    const audit = async (recorded: readonly Change[]): Promise<void> => void changes.push(...recorded)
    const progress = { begin: () => undefined, advance: () => undefined }
    return Array.fromAsync(importRows({ ...work, audit, pace: async () => {}, progress, clock: service.time.clock }))
  }

  const pet = (): Promise<Pet> =>
    addPet(service.pets, { name: 'Bella', categoryId: 1n, status: 'available' }, service.time.clock)

  it('creates, changes and leaves pets, in the order of the rows, and records each change', async () => {
    const [changed, left] = [await pet(), await pet()]
    write([
      'id,name,categoryId,status',
      ',New,1,sold',
      `${changed.id},Max,1,pending`,
      `${left.id},Bella,1,available`,
      ',Newer,1,sold',
    ])
    expect(await checkFile(table, file, false)).toEqual({ create: 2, change: 1, restore: 0, leave: 1 })
    service.time.advance(1)
    const pets = await run()
    expect(pets.map(({ name }) => name)).toEqual(['New', 'Max', 'Bella', 'Newer'])
    expect(pets[1]).toEqual({ ...changed, name: 'Max', status: 'pending' })
    expect((await all()).map(({ name }) => name).slice(0, 2)).toEqual(['Newer', 'New'])
    expect(changes.map(({ ids, old, new: now }) => [ids[0], old, now])).toEqual([
      [`${pets[0]?.id}`, null, pets[0]],
      [`${changed.id}`, changed, pets[1]],
      [`${pets[3]?.id}`, null, pets[3]],
    ])
  })

  it('changes nothing where one row is wrong, or has the id of no pet', async () => {
    const { id } = await pet()
    write(['id,name,categoryId,status', `${id},Max,1,sold`, '7,Lost,1,sold', ',,1,sold'])
    await expect(checkFile(table, file, false)).rejects.toThrow(
      /^Nothing is written\.\nLine 3, column id: no pet has the id 7\. .*\nLine 4, column name: must be/,
    )
  })

  it('shows a hundred mistakes at most', async () => {
    write(['name,categoryId', ...Array.from({ length: 150 }, () => ',1')])
    const lines = await checkFile(table, file, false).catch((error: Error) => error.message.split('\n'))
    expect([Array.isArray(lines) && lines.length, Array.isArray(lines) && lines.at(-1)]).toEqual([
      102,
      'There are more.',
    ])
  })

  it('gives a row the next id where another pet has its own, says so in the audit, and finds it again', async () => {
    write(['name,categoryId', 'New,1'])
    const taken = newPetId(service.time.clock(), () => 0)
    await service.pets.put({ id: taken, name: 'Other', categoryId: 1n, status: 'sold' }, 'another attempt')
    const [created] = await run()
    expect(created?.id).toBe(taken + 4_096n)
    expect(changes.map(({ ids, refused }) => [ids[0], refused])).toEqual([
      [`${taken}`, undefined],
      [`${taken}`, 'the id is taken'],
      [`${taken + 4_096n}`, undefined],
    ])
    service.time.advance(60)
    expect([await run(), await all()]).toEqual([[created], expect.objectContaining({ length: 2 })])
  })

  it('does not restore a pet that was removed before the import was resumed', async () => {
    write(['name,categoryId', 'New,1'])
    const [created] = await run()
    if (created === undefined) throw new Error('One row was imported.')
    await table.remove(created)
    await run()
    expect(await all()).toEqual([])
  })

  it('leaves a pet that somebody else changes during the import, names it, and imports the other rows', async () => {
    const [mine, theirs] = [await pet(), await pet()]
    write(['id,name,categoryId,status', `${theirs.id},Max,1,sold`, `${mine.id},Max,1,sold`])
    let isChanged = false
    const raced = interceptingClient(engine, 'UpdateItem', async () => {
      if (isChanged) return
      isChanged = true
      await table.change(theirs, { ...theirs, name: 'Theirs' })
    })
    await expect(run({ by: new PetTable(raced, service.tables.pets) })).rejects.toThrow(
      `All other rows are imported.\nLine 2: somebody else has changed the pet ${theirs.id} meanwhile; it is left as it is.`,
    )
    expect((await all()).map(({ name }) => name).sort()).toEqual(['Max', 'Theirs'])
    expect(changes.at(-1)).toMatchObject({ ids: [`${theirs.id}`], refused: 'changed' })
  })

  it('resumes only with the file that was interrupted, and after its end begins with any', async () => {
    write(['name,categoryId', 'New,1'])
    await expect(run({ signal: AbortSignal.abort() })).rejects.toThrow()
    await expect(journalOf('two')).rejects.toThrow(/^The file is not the one whose import was interrupted/)
    await run()
    expect((await journalOf('one')).isComplete).toBe(true)
    expect((await journalOf('two')).isComplete).toBe(false)
  })

  it.each(['csv', 'jsonl'] as const)('of a backup as %s restores what was changed and removed', async (format) => {
    const pets = await Promise.all(Array.from({ length: 40 }, pet))
    const before = await all()
    await savePets(before, format, file)
    for (const [index, one] of pets.slice(0, 30).entries()) {
      await (index % 2 === 0 ? table.remove(one) : table.change(one, { ...one, name: 'X', status: 'sold' }))
    }
    expect(await checkFile(table, file, true)).toEqual({ create: 0, change: 15, restore: 15, leave: 10 })
    await run({ restores: true })
    expect(await all()).toEqual(before)
  })

  it('and changes of statuses do no harm to an export or a walk: each pet that does not change is there once', async () => {
    await Promise.all(Array.from({ length: 30 }, pet))
    const kept = await all()
    write(['name,categoryId', ...Array.from({ length: 200 }, (_, row) => `New ${row},1`)])
    const walk = async (): Promise<Pet[]> => {
      const seen: Pet[] = []
      for (let before: bigint | undefined; ; before = seen.at(-1)?.id) {
        const page = await service.pets.page({ limit: 7, status: undefined, before })
        seen.push(...page.pets)
        if (!page.hasMore) return seen
      }
    }
    const [walked, exported] = await Promise.all([walk(), all(), run()])
    for (const seen of [walked, exported]) {
      const ids = seen.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => (one < other ? 1 : -1)))
      expect(seen.filter(({ name }) => name === 'Bella')).toEqual(kept)
    }
  })
})
