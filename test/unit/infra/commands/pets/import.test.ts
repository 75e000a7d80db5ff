import { beforeEach, describe, expect, it } from 'vitest'
import { createChangeId } from '../../../../../infra/commands/environment/change-audit.ts'
import { PetTable } from '../../../../../infra/commands/pets/pet-table.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { openPetCommands, type PetCommands } from '../../../../fixtures/commands/pet-commands.ts'

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

  it('a file that does not exist is refused in one sentence', async () => {
    const { errors, exitCode } = await pets.run('import', pets.pathOf('gone.csv'))

    const sentence = `${pets.pathOf('gone.csv')} does not exist. Check the path, and whether the file has arrived.`
    expect(errors).toBe(`The file is refused. Nothing is changed.\n${sentence}\n`)
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

  it('a file with mistakes is refused before the first write, and each mistake has its line', async () => {
    const { errors, exitCode } = await importRows([
      { ...bellaRow, name: 'Belle' },
      { ...miloRow, id: undefined },
      { ...miloRow, version: undefined },
      { ...miloRow, id: 7, status: 'gone' },
      { ...miloRow, id: 5 },
    ])

    expect(errors).toContain('Line 2: it has no id. "pets sync" adds the animals of a shelter\'s file, and "pets add"')
    expect(errors).toContain('Line 3: it has no version')
    expect(errors).toContain('Line 4: status must be one of')
    expect(errors).toContain('Line 5: the id 5 is in line 1 too.')
    expect(exitCode).toBe(4)
    expect(await pets.colleague.list()).toEqual([bella, milo])
  })

  describe('after a program has damaged the file', () => {
    const exact: Pet = { id: 7n, name: 'Max', categoryId: 1_234_567_890_123_456_789n, status: 'sold' }

    it('numbers that a program has rounded are refused', async () => {
      const roundings = {
        'jq 1.6': '1234567890123456800',
        'a program that writes exponents': '1.2345678901234568e+18',
        'a spreadsheet': '1234567890123450000',
      }
      for (const id of [7n, 8n, 9n]) await pets.colleague.store({ ...exact, id })
      let { output: text } = await pets.run('export', '--json')
      for (const rounded of Object.values(roundings)) text = text.replace(String(exact.categoryId), rounded)

      const { errors, exitCode } = await pets.run('import', pets.writeText('damaged.jsonl', text))

      expect(errors.match(/and was 1234567890123456789 before a program rounded it/g)).toHaveLength(3)
      expect(exitCode).toBe(4)
      expect(await pets.colleague.list()).toContainEqual(exact)
    })

    it('a number of as many digits that somebody has edited is imported', async () => {
      await pets.colleague.store(exact)
      const { output } = await pets.run('export', '--json')
      const text = output.replace(String(exact.categoryId), '1234567890129999999')

      await pets.run('import', pets.writeText('edited.jsonl', text))

      expect(await pets.colleague.list()).toContainEqual({ ...exact, categoryId: 1_234_567_890_129_999_999n })
    })

    it('names that a spreadsheet has converted are refused', async () => {
      const conversions = { 'May 5': '05-May', true: 'TRUE', '(5)': '-5', '007': '7' }
      let id = 10n
      for (const name of Object.keys(conversions)) {
        await pets.colleague.store({ ...bella, id, name })
        id += 1n
      }
      let { output: text } = await pets.run('export')
      for (const [name, converted] of Object.entries(conversions)) text = text.replace(`'${name}`, converted)

      const { errors, exitCode } = await pets.run('import', pets.writeText('damaged.csv', text))

      for (const [name, converted] of Object.entries(conversions)) {
        expect(errors).toContain(`name is "${converted}", and was "${name}".`)
      }
      expect(exitCode).toBe(4)
    })

    it('a name that somebody has edited behind the apostrophe is imported', async () => {
      await pets.colleague.store({ ...bella, name: 'Bella 2' })
      const { output } = await pets.run('export')

      await pets.run('import', pets.writeText('edited.csv', output.replace("'Bella 2", "'Bella 3")))

      expect(await pets.colleague.list()).toMatchObject([{ name: 'Bella 3' }, milo])
    })
  })
})
