import { readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { describeMalformedPets } from '../../../../../infra/commands/pets/malformed-pets.ts'
import type { MalformedItem } from '../../../../../shared/dynamodb/item-reader.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { openPetCommands, type PetCommands } from '../../../../fixtures/commands/pet-commands.ts'
import { editItem } from '../../../../fixtures/database/edit-item.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 2n, status: 'pending' }
const miloJson = { id: 6, name: 'Milo', categoryId: 2, status: 'pending' }

const sentence = 'The pet 5 cannot be read: its item has no valid categoryId.'
const advice = '"set" gives a pet other values, and "remove" removes it.'

describe('npm run pets with an item that cannot be read', () => {
  let pets: PetCommands

  /** Edits the item of Bella by hand. */
  const damage = (change: Readonly<Record<string, unknown>>): Promise<void> =>
    editItem(pets.client, pets.tables.pets, { id: bella.id }, change)

  beforeEach(async () => {
    pets = await openPetCommands()
    await pets.colleague.store(bella)
    await pets.colleague.store(milo)
    await damage({ categoryId: ['cats'] })
  })

  it('show names a pet that cannot be read, and shows the others', async () => {
    const { output, errors, exitCode } = await pets.run('show', '5', '6', '--json')

    expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 1 })
    expect(JSON.parse(output)).toMatchObject({ pets: [miloJson], malformed: [{ id: 5, attribute: 'categoryId' }] })
  })

  it('list names a pet that cannot be read, and prints the others', async () => {
    const { output, errors, exitCode } = await pets.run('list', '--json')

    expect(JSON.parse(output)).toMatchObject(miloJson)
    expect(errors).toContain(`${sentence}\n`)
    expect(exitCode).toBe(1)
  })

  it('export names a pet that cannot be read, and exports the others to a file', async () => {
    const { output, exitCode } = await pets.run('export', '--out', pets.pathOf('pets.jsonl'))

    expect(output).toBe(`${pets.pathOf('pets.jsonl')} has 1 pet.\n${sentence}\n${advice}\n`)
    expect(exitCode).toBe(1)
    expect(JSON.parse(readFileSync(pets.pathOf('pets.jsonl'), 'utf8'))).toMatchObject(miloJson)
  })

  it('export names a pet that cannot be read on standard error, and prints the others', async () => {
    const { output, errors, exitCode } = await pets.run('export', '--json')

    expect(JSON.parse(output)).toMatchObject(miloJson)
    expect(errors).toBe(`${sentence}\n${advice}\n`)
    expect(exitCode).toBe(1)
  })

  it('set mends a pet, and the audit has the malformed value', async () => {
    const { json } = await pets.runForJson('set', '5', '--category', '7')

    expect(json).toMatchObject({ changed: 1, changes: [{ old: { categoryId: ['cats'] }, new: { categoryId: 7 } }] })
    expect(await pets.colleague.list()).toEqual([{ ...bella, categoryId: 7n }, milo])
    expect(await pets.readRecords()).toMatchObject([{ old: { categoryId: ['cats'] }, new: { categoryId: 7 } }])
  })

  it('set mends a pet that lacks a field', async () => {
    await damage({ categoryId: undefined })

    const { json } = await pets.runForJson('set', '5', '--category', '7')

    expect(json).toMatchObject({ changed: 1, changes: [{ old: { name: 'Bella' }, new: { categoryId: 7 } }] })
    expect(await pets.colleague.list()).toEqual([{ ...bella, categoryId: 7n }, milo])
  })

  it('set names the malformed field that it is not given, and leaves the pet', async () => {
    const { output, exitCode } = await pets.run('set', '5', '--name', 'Belle')

    expect(output).toContain(`5 conflict, ${sentence} Give that a value too.`)
    expect(exitCode).toBe(3)
    expect(await pets.colleague.list()).toEqual([milo])
  })

  it('remove removes a pet that cannot be read, also one whose count of changes cannot be read', async () => {
    await damage({ changeCount: 'many' })

    const { json } = await pets.runForJson('remove', '5')

    expect(json).toMatchObject({ removed: 1, changes: [{ old: { id: 5, categoryId: ['cats'] } }] })
    expect(await pets.colleague.list()).toEqual([milo])
  })

  it('import leaves a pet that cannot be read, and changes the others', async () => {
    await damage({ categoryId: 1 })
    await pets.run('export', '--out', pets.pathOf('pets.csv'))
    await damage({ categoryId: ['cats'] })
    const text = readFileSync(pets.pathOf('pets.csv'), 'utf8')
    writeFileSync(pets.pathOf('pets.csv'), text.replace('Bella', 'Belle').replace('Milo', 'Max'))

    const { json, exitCode } = await pets.runForJson('import', pets.pathOf('pets.csv'))

    expect(json).toMatchObject({ changed: 1, conflict: 1 })
    expect(exitCode).toBe(3)
    expect(await pets.colleague.list()).toEqual([{ ...milo, name: 'Max' }])
  })
})

it('at most a hundred pets that cannot be read are named', () => {
  const item: MalformedItem = { kind: 'malformed', name: 'The pet 5', attribute: 'name', item: { id: 5 } }

  const lines = describeMalformedPets(Array.from({ length: 102 }, () => item))

  expect(lines).toHaveLength(102)
  expect(lines.at(-2)).toBe('2 more cannot be read.')
})
