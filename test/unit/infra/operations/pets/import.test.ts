import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { createChangeId } from '../../../../../infra/operations/environment/change-audit.ts'
import { PetTable } from '../../../../../infra/operations/pets/pet-table.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { openPetCommands, type PetCommands } from '../../../../fixtures/pet-commands.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 1n, status: 'pending' }

describe('pets import', () => {
  let pets: PetCommands
  /** The rows of an export of Bella and Milo. */
  let bellaRow: Record<string, unknown>
  let miloRow: Record<string, unknown>

  beforeEach(async () => {
    pets = await openPetCommands()
    await pets.colleague.store(bella)
    await pets.colleague.store(milo)
    const [first = {}, second = {}] = await pets.exportRows()
    miloRow = first
    bellaRow = second
  })

  const importRows = (rows: readonly object[], ...words: readonly string[]) =>
    pets.runForJson('import', pets.writeRows(rows), ...words)

  it('a row that was edited changes its pet, and its new version is reported', async () => {
    const { json, exitCode } = await importRows([{ ...bellaRow, name: 'Belle' }, miloRow])

    expect(json).toMatchObject({ changed: 1, unchanged: 1, changes: [{ line: 1, id: 5, outcome: 'changed' }] })
    expect(exitCode).toBe(0)
    expect(await pets.colleague.list()).toEqual([{ ...bella, name: 'Belle' }, milo])
    const [, row] = await pets.exportRows()
    expect(json.changes[0].version).toBe(row?.['version'])
  })

  it.each([
    { name: 'gone.csv', sentence: 'does not exist. Check the path, and whether the file has arrived.' },
    { name: '.', sentence: 'is a folder. Name a file in it.' },
  ])('the file $name is refused in one sentence', async ({ name, sentence }) => {
    const { errors, exitCode } = await pets.run('import', pets.pathOf(name))

    expect(errors).toBe(`The file is refused. Nothing is changed.\n${pets.pathOf(name)} ${sentence}\n`)
    expect(exitCode).toBe(4)
  })

  it('a row that was not edited asks for nothing, also if somebody else has changed its pet', async () => {
    await pets.colleague.store({ ...bella, status: 'sold' })

    expect((await importRows([bellaRow])).json).toMatchObject({ unchanged: 1, changes: [] })
  })

  it('a file that is imported again changes nothing, and reports the versions that its rows have now', async () => {
    const rows = [{ ...bellaRow, name: 'Belle' }]
    const first = await importRows(rows)

    const { json, exitCode } = await importRows(rows)

    const { version } = first.json.changes[0]
    expect(json).toMatchObject({ unchanged: 1, changes: [{ outcome: 'unchanged', version }] })
    expect(exitCode).toBe(0)
  })

  it('a row with the reported version can be edited again', async () => {
    const { json } = await importRows([{ ...bellaRow, name: 'Belle' }])
    const { version } = json.changes[0]

    expect((await importRows([{ ...bellaRow, name: 'Bell', version }])).json).toMatchObject({ changed: 1 })
  })

  it('a row of a pet that somebody else has changed is a conflict, with theirs and yours', async () => {
    await pets.colleague.store({ ...bella, status: 'sold' })

    const { json, exitCode } = await importRows([
      { ...bellaRow, name: 'Belle' },
      { ...miloRow, name: 'Max' },
    ])

    const reason = 'somebody else has changed the pet'
    expect(json.changes[0]).toMatchObject({ id: 5, reason, theirs: { status: 'sold' }, yours: { name: 'Belle' } })
    expect(json).toMatchObject({ changed: 1, conflict: 1 })
    expect(exitCode).toBe(3)
    expect(await pets.colleague.list()).toEqual([
      { ...bella, status: 'sold' },
      { ...milo, name: 'Max' },
    ])
  })

  it('a row of a pet that was removed is a conflict', async () => {
    await pets.colleague.remove(5n)

    const { json, exitCode } = await importRows([{ ...bellaRow, name: 'Belle' }])

    expect(json).toMatchObject({ conflict: 1, changes: [{ reason: 'no pet has the id now' }] })
    expect(exitCode).toBe(3)
  })

  it('a column that the file lacks keeps its value', async () => {
    const { id, version } = bellaRow

    await importRows([{ id, version, name: 'Belle' }])

    expect(await pets.colleague.list()).toMatchObject([{ name: 'Belle', status: 'available' }, milo])
  })

  it('--dry-run shows what would be changed, and changes nothing', async () => {
    const { json } = await importRows([{ ...bellaRow, name: 'Belle' }], '--dry-run')

    expect(json).toMatchObject({ changed: 1, changes: [{ old: { name: 'Bella' }, new: { name: 'Belle' } }] })
    expect(await pets.colleague.list()).toEqual([bella, milo])
    expect(await pets.readRecords()).toEqual([])
  })

  it('"-" reads standard input', async () => {
    pets.provideInput(JSON.stringify({ ...bellaRow, name: 'Belle' }))

    expect((await pets.runForJson('import', '-')).json).toMatchObject({ changed: 1 })
  })

  it('source and reference cannot be edited', async () => {
    const origin = { source: 'elm-street', reference: '71' }
    const table = new PetTable(pets.client, pets.tables.pets)
    const max = { ...bella, id: 7n }
    await table.write({ id: 7n, item: undefined, pet: max, origin, changeId: createChangeId(Date.now()) })
    const [row = {}] = await pets.exportRows()

    const { json } = await importRows([{ ...row, name: 'Max', reference: '72' }])

    expect(json).toMatchObject({ conflict: 1, changes: [{ reason: 'source and reference cannot be edited' }] })
  })

  it.each([
    {
      kind: 'a row without an id',
      edit: { id: undefined },
      mistake: 'Line 2: it has no id. "pets sync" adds the animals of a shelter\'s file, and "pets add" adds one.',
    },
    { kind: 'a row without a version', edit: { version: undefined }, mistake: 'Line 2: it has no version' },
    { kind: 'a value that the contract refuses', edit: { status: 'gone' }, mistake: 'Line 2: status must be one of' },
    { kind: 'an id twice', edit: { id: 5 }, mistake: 'Line 2: the id 5 is in line 1 too.' },
  ])('a file with $kind is refused before the first write', async ({ edit, mistake }) => {
    const { errors, exitCode } = await importRows([
      { ...bellaRow, name: 'Belle' },
      { ...miloRow, ...edit },
    ])

    expect(errors).toContain(mistake)
    expect(exitCode).toBe(4)
    expect(await pets.colleague.list()).toEqual([bella, milo])
  })

  describe('after a program has damaged the file', () => {
    const exact: Pet = { id: 7n, name: 'Max', categoryId: 1_234_567_890_123_456_789n, status: 'sold' }

    /** Imports an export as JSON Lines, in which a program has replaced the category. */
    const importWithCategory = async (category: string) => {
      await pets.colleague.store(exact)
      const { output } = await pets.run('export', '--json')
      const file = pets.writeText('damaged.jsonl', output.replace(String(exact.categoryId), category))
      return pets.run('import', file)
    }

    it.each([
      { program: 'jq 1.6', category: '1234567890123456800' },
      { program: 'a program that writes exponents', category: '1.2345678901234568e+18' },
      { program: 'a spreadsheet', category: '1234567890123450000' },
    ])('a number that $program has rounded is refused', async ({ category }) => {
      const { errors, exitCode } = await importWithCategory(category)

      expect(errors).toContain('and was 1234567890123456789 before a program rounded it')
      expect(exitCode).toBe(4)
      expect(await pets.colleague.list()).toContainEqual(exact)
    })

    it('a number of as many digits that somebody has edited is imported', async () => {
      await importWithCategory('1234567890129999999')

      expect(await pets.colleague.list()).toContainEqual({ ...exact, categoryId: 1_234_567_890_129_999_999n })
    })

    it.each([
      { name: 'May 5', converted: '05-May' },
      { name: 'SEPT2', converted: '02-Sep' },
      { name: 'true', converted: 'TRUE' },
      { name: '(5)', converted: '-5' },
      { name: '$5', converted: '5' },
      { name: '007', converted: '7' },
    ])('a name $name that came back as $converted is refused', async ({ name, converted }) => {
      await pets.colleague.store({ ...bella, name })
      await pets.run('export', '--out', pets.pathOf('pets.csv'))
      const text = readFileSync(pets.pathOf('pets.csv'), 'utf8')

      const { errors, exitCode } = await pets.run(
        'import',
        pets.writeText('damaged.csv', text.replace(`'${name}`, converted)),
      )

      expect(errors).toContain(`name is "${converted}", and was "${name}".`)
      expect(exitCode).toBe(4)
    })

    it('a name that somebody has edited behind the apostrophe is imported', async () => {
      await pets.colleague.store({ ...bella, name: 'Bella 2' })
      await pets.run('export', '--out', pets.pathOf('pets.csv'))
      const text = readFileSync(pets.pathOf('pets.csv'), 'utf8')

      await pets.run('import', pets.writeText('edited.csv', text.replace("'Bella 2", "'Bella 3")))

      expect(await pets.colleague.list()).toMatchObject([{ name: 'Bella 3' }, milo])
    })
  })
})
