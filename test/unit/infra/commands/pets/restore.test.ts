import { readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { openPetCommands, type PetCommands } from '../../../../fixtures/commands/pet-commands.ts'
import { findContradictions } from '../../../../fixtures/commands/shelter.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 1n, status: 'pending' }
/** The row of an export: Rex comes from a shelter's file, and `row` is the hash of what that file said of him. */
const rexRow = {
  id: 7,
  name: 'Rex',
  categoryId: 1,
  status: 'available',
  row: 'abcd-_12',
  source: 'oak-lane',
  number: '0071',
}

let pets: PetCommands

// Callers of the API add two pets, which have no source.
beforeEach(async () => {
  pets = await openPetCommands()
  await pets.callers.addPet(bella)
  await pets.callers.addPet(milo)
})

/** Runs `pets restore` with a file of these rows. */
const restore = (rows: readonly object[], ...words: readonly string[]) =>
  pets.runForJson('restore', pets.writeRows(rows), ...words)

it('restore sets each pet to its row, also over later changes, and brings removed pets back', async () => {
  const file = pets.pathOf('backup.jsonl')
  await pets.run('export', '--out', file)
  await pets.run('set', '5', '--status', 'sold')
  await pets.run('remove', '6')

  const { json } = await pets.runForJson('restore', file)

  expect(json).toMatchObject({ changed: 1, returned: 1 })
  expect(await pets.callers.listPets()).toEqual([bella, milo])
  expect((await pets.runForJson('restore', file)).json).toMatchObject({ unchanged: 2 })
})

it('an export has source, number and row of a pet, and a removed pet only if it comes from a source', async () => {
  await restore([rexRow, { ...rexRow, id: 8, number: '0072' }])
  await pets.run('set', '7', '--name', 'Max')
  await pets.run('remove', '8', '6')

  const rows = await pets.exportRows()

  expect(rows).toEqual([
    { id: 8, name: 'Rex', categoryId: 1, removed: 'by hand', row: 'abcd-_12', source: 'oak-lane', number: '0072' },
    { ...rexRow, name: 'Max' },
    { id: 5, name: 'Bella', categoryId: 1, status: 'available' },
  ])
})

it('an export that is restored into an empty environment is exported as the same', async () => {
  // The shelter's last file no longer had the animal 8, which `gone` says in place of a hash.
  await restore([rexRow, { ...rexRow, id: 8, number: '0072', row: 'gone' }])
  await pets.run('remove', '8')
  const rows = await pets.exportRows()
  pets = await openPetCommands()

  await restore(rows)

  expect(await pets.exportRows()).toEqual(rows)
  expect(await findContradictions(pets.client, pets.tables)).toEqual([])
})

it('restore of a row whose pet has another number is a conflict', async () => {
  await restore([rexRow])

  const { json, exitCode } = await restore([{ ...rexRow, number: '0073', name: 'Max' }])

  expect(json).toMatchObject({ conflict: 1, changes: [{ reason: 'pet 7 is number 0071 of oak-lane' }] })
  expect(exitCode).toBe(3)
})

it('restore of a row with the number of another pet is a conflict, also in a dry run', async () => {
  await restore([rexRow])

  for (const words of [['--dry-run'], []]) {
    // The number 0071 of another shelter is free.
    const { json } = await restore(
      [
        { ...rexRow, id: 8 },
        { ...rexRow, id: 9, source: 'mill-pond' },
      ],
      ...words,
    )

    expect(json).toMatchObject({ conflict: 1, added: 1 })
    expect(json.changes).toContainEqual(expect.objectContaining({ reason: 'pet 7 is number 0071 of oak-lane' }))
  }
  const ids = (await pets.exportRows()).map(({ id }) => id)
  expect(ids).toEqual([9, 7, 6, 5])
})

it('restore refuses a file with mistakes before the first write, and each mistake has its line', async () => {
  const { errors, exitCode } = await pets.run(
    'restore',
    pets.writeRows([
      { id: 5, name: 'Max', categoryId: 1, status: 'sold' },
      { id: 5, name: 'Max', categoryId: 1 },
      { id: 'x', name: 'Max', categoryId: 1, status: 'sold' },
      // Line 4.
      { ...rexRow, number: undefined },
      { ...rexRow, row: 'lost' },
      // The table of numbers uses this name itself.
      { ...rexRow, id: 8, source: '#heads' },
      // Line 7.
      { ...rexRow, id: 9, number: ' 0072' },
      { ...rexRow, id: 10, number: '' },
      { id: 11, removed: true },
      // Line 10.
      { id: 12, name: 'Max', categoryId: 1, status: 'sold', unknown: 'red' },
      { id: 13, name: 'Max', categoryId: 1, status: 'sold', row: 'gone' },
    ]),
  )

  expect(errors).toContain('line 2: status is missing; it must be one of available, pending, sold.')
  expect(errors).toContain('line 2: the id 5 is in line 1 too.')
  expect(errors).toContain('line 3: id must be a whole number from 1 to 9007199254740991; it is "x".')
  for (const line of [4, 6, 7, 8]) {
    expect(errors).toContain(`line ${line}: source and number belong together, and must be as a nightly file has them.`)
  }
  for (const line of [5, 11]) expect(errors).toContain(`line ${line}: row is not as "pets export" writes it.`)
  expect(errors).toContain('line 9: removed is not as "pets export" writes it.')
  expect(errors).toContain('line 10: unknown is not as "pets export" writes it.')
  expect(exitCode).toBe(4)
  expect(await pets.callers.listPets()).toEqual([bella, milo])
})

/** Exports the pets as a sheet, and edits its text. @returns the path of the edited sheet */
const editExport = async (edit: (text: string) => string): Promise<string> => {
  const file = pets.pathOf('sheet.csv')
  await pets.run('export', '--out', file)
  return pets.writeText('edited.csv', edit(readFileSync(file, 'utf8')))
}

it('import changes the pets whose rows were edited, and no others', async () => {
  const file = await editExport((text) => text.replace('Bella', 'Belle'))
  await pets.run('set', '6', '--status', 'sold')

  const { json, exitCode } = await pets.runForJson('import', file)

  // Line 1 is the head, and line 2 has Milo, the newest pet.
  expect(json).toMatchObject({ changed: 1, unchanged: 1, changes: [{ id: 5, line: 3, outcome: 'changed' }] })
  expect(exitCode).toBe(0)
  expect(await pets.callers.listPets()).toEqual([
    { ...bella, name: 'Belle' },
    { ...milo, status: 'sold' },
  ])
  expect((await pets.runForJson('import', file)).json).toMatchObject({ changed: 0, unchanged: 2 })
})

it('import of a pet that somebody else has changed, or removed, is a conflict', async () => {
  const file = await editExport((text) => text.replace('Bella', 'Belle').replace('Milo', 'Max'))
  await pets.run('set', '5', '--status', 'sold')
  await pets.run('remove', '6')

  const { json, exitCode } = await pets.runForJson('import', file)

  expect(json.changes).toMatchObject([
    { id: 6, reason: 'no pet has the id now' },
    { id: 5, reason: 'somebody else has changed the pet' },
  ])
  expect(exitCode).toBe(3)
})

it('import changes a pet although its shelter has sent another file since the export', async () => {
  await restore([rexRow])
  await pets.run('set', '7', '--name', 'Max')
  const file = await editExport((text) => text.replace('Max', 'Moritz'))
  // Stands for a newer file, which no longer has the animal.
  await restore([{ ...rexRow, name: 'Max', row: 'gone' }])

  expect((await pets.runForJson('import', file)).json).toMatchObject({ changed: 1, conflict: 0 })
})
