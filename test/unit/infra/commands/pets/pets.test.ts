import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { beforeEach, describe, expect, it } from 'vitest'
import { createChangeId } from '../../../../../infra/commands/environment/change-audit.ts'
import { PetTable } from '../../../../../infra/commands/pets/pet-table.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { PetTable as TableOfCallers } from '../../../../../shared/pets/pet-table.ts'
import { createColleague } from '../../../../fixtures/commands/colleague.ts'
import { openPetCommands, type PetCommands } from '../../../../fixtures/commands/pet-commands.ts'
import { createFreshTables } from '../../../../fixtures/database/engines.ts'
import { startNode } from '../../../../fixtures/machine/node-process.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const bellaJson = { id: 5, name: 'Bella', categoryId: 1, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 1n, status: 'pending' }
const elmStreet = { source: 'elm-street', reference: '0071' }

let pets: PetCommands

beforeEach(async () => {
  pets = await openPetCommands()
  await pets.colleague.store(bella)
})

/** Stores Milo as a pet of a shelter's file. */
const storeMiloOfElmStreet = async (): Promise<void> => {
  const table = new PetTable(pets.client, pets.tables.pets)
  await table.write({ id: 6n, item: undefined, pet: milo, origin: elmStreet, changeId: createChangeId(Date.now()) })
}

describe('pets add', () => {
  it('add prints the id before the pet is written, and adds the pet with a record', async () => {
    const { json, errors } = await pets.runForJson('add', '--name', 'Max', '--category', '7', '--why', 'found')

    expect(errors).toBe(`The pet gets the id ${json.added.id}. Running this command again adds another pet.\n`)
    expect(json).toMatchObject({ added: { name: 'Max', categoryId: 7, status: 'available' } })
    expect(await pets.colleague.list()).toMatchObject([bella, { name: 'Max' }])
    const record = { target: `pet#${json.added.id}`, action: 'pets add', who: userInfo().username, why: 'found' }
    expect(await pets.readRecords()).toMatchObject([{ ...record, old: null, new: { name: 'Max' } }])
  })

  it('add without a category adds nothing', async () => {
    const { errors, exitCode } = await pets.run('add', '--name', 'Max')

    expect(errors).toContain('--category is missing')
    expect(exitCode).toBe(2)
    expect(await pets.colleague.list()).toEqual([bella])
  })
})

describe('pets show', () => {
  it('show prints source, reference and the latest change of a pet', async () => {
    await storeMiloOfElmStreet()
    await pets.run('set', '6', '--status', 'sold')

    const { json } = await pets.runForJson('show', '6', '6')

    const changeId = (await pets.readRecords()).at(-1)?.changeId
    const values = { id: 6, name: 'Milo', categoryId: 1, status: 'sold' }
    expect(json).toEqual({ pets: [{ ...values, ...elmStreet, changeId }], malformed: [] })
  })

  it('show prints the key that has added a pet', async () => {
    await new TableOfCallers(pets.client, pets.tables.pets).put(milo, 'an attempt', { addedBy: 'key_one' as KeyId })

    expect((await pets.runForJson('show', '6')).json).toMatchObject({ pets: [{ id: 6, addedBy: 'key_one' }] })
  })
})

describe('pets set', () => {
  it('set changes pets, and reports each one before and after with its change', async () => {
    await pets.colleague.store(milo)

    const { json } = await pets.runForJson('set', '5', '6', '--status', 'sold')

    const [first] = await pets.readRecords()
    expect(json).toMatchObject({ changed: 2 })
    expect(json.changes[0]).toMatchObject({ old: bellaJson, new: { ...bellaJson, status: 'sold' } })
    expect(first).toMatchObject({ action: 'pets set', old: { status: expect.any(String) }, new: { status: 'sold' } })
    expect(await pets.colleague.list()).toEqual([
      { ...bella, status: 'sold' },
      { ...milo, status: 'sold' },
    ])
  })

  it('a pet that has the value already is unchanged, and the audit has no record', async () => {
    expect((await pets.runForJson('set', '5', '--status', 'available')).json).toMatchObject({ unchanged: 1 })
    expect(await pets.readRecords()).toEqual([])
  })

  it('set changes nothing if one of the ids has no pet', async () => {
    const { errors, exitCode } = await pets.run('set', '5', '99', '--status', 'sold')

    expect(errors).toBe('No pet has the id 99. Nothing is done.\n')
    expect(exitCode).toBe(1)
    expect(await pets.colleague.list()).toEqual([bella])
  })
})

describe('pets remove', () => {
  it('remove reports what it removes, and can be repeated', async () => {
    await pets.colleague.store(milo)
    const { json } = await pets.runForJson('remove', '5')

    expect(json).toMatchObject({ removed: 1, changes: [{ outcome: 'removed', old: bellaJson }] })
    expect((await pets.runForJson('remove', '5', '6')).json).toMatchObject({ removed: 1, unchanged: 1 })
    expect(await pets.colleague.list()).toEqual([])
  })

  it('remove takes the first word of each line of standard input', async () => {
    await pets.colleague.store(milo)
    pets.provideInput('  5  available  Bella\n\n6  pending  Milo\n')

    expect((await pets.runForJson('remove', '-')).json).toMatchObject({ removed: 2 })
  })

  it.each([
    { mistake: 'a line that does not begin with an id', input: '5\nid,name\n', sentence: '"id,name" is not the id' },
    { mistake: 'no line', input: '\n', sentence: 'Standard input has no line with the id of a pet.' },
  ])('remove removes nothing if standard input has $mistake', async ({ input, sentence }) => {
    pets.provideInput(input)

    const { errors, exitCode } = await pets.run('remove', '-')

    expect(errors).toContain(sentence)
    expect(exitCode).toBe(2)
    expect(await pets.colleague.list()).toEqual([bella])
  })
})

describe('pets export', () => {
  it('an export has source, reference and version of each pet', async () => {
    await storeMiloOfElmStreet()

    const version = expect.stringMatching(/^v[\w-]{16}$/)
    expect(await pets.exportRows()).toEqual([
      { id: 6, name: 'Milo', categoryId: 1, status: 'pending', ...elmStreet, version },
      { ...bellaJson, version },
    ])
  })

  it('export prints what it writes to a file', async () => {
    await pets.run('export', '--out', pets.pathOf('pets.csv'))

    const { output } = await pets.run('export')

    expect(output).toBe(readFileSync(pets.pathOf('pets.csv'), 'utf8'))
    expect(output).toMatch(/^\ufeffid,name,categoryId,status,.*source,reference,version\n5,Bella,1,available,.*,,v/)
  })

  it('export --status writes only the pets of that status', async () => {
    await pets.colleague.store(milo)

    const { output } = await pets.run('export', '--status', 'pending', '--json')

    expect(JSON.parse(output)).toMatchObject({ id: 6, status: 'pending' })
  })

  it.each(['pets.csv', 'link.csv', '.'])('export leaves what is at the path %s', async (name) => {
    pets.writeText('pets.csv', 'mine')
    symlinkSync('nowhere', pets.pathOf('link.csv'))

    const { errors, exitCode } = await pets.run('export', '--out', pets.pathOf(name))

    expect(errors).toMatch(/ exists\. Name another file\.\n$/)
    expect(exitCode).toBe(1)
    expect(readFileSync(pets.pathOf('pets.csv'), 'utf8')).toBe('mine')
  })

  it('an export whose disk is full leaves no file', async () => {
    for (let id = 100n; id < 103n; id += 1n) await pets.colleague.store({ ...bella, id, name: 'x'.repeat(255) })
    const words = ['export', '--out', pets.pathOf('pets.jsonl'), ...pets.options]
    // A process may write files of at most one block of 512 bytes.
    const commandPrefix = ['sh', '-c', 'ulimit -f 1; exec "$@"', 'sh']

    const exported = startNode(['infra/commands/run.ts', 'pets', ...words], { commandPrefix })

    expect(await exported.ended).toBe(1)
    expect(exported.errors()).toContain('EFBIG: file too large')
    expect(readdirSync(pets.dataFolder)).not.toContain('pets.jsonl')
  })

  it('export --table writes the pets of a restored copy, and says so', async () => {
    const copyName = (await createFreshTables(pets.engine)).pets
    await createColleague(pets.client, copyName).store({ ...bella, name: 'Bella as she was' })

    const { output, errors } = await pets.run('export', '--table', copyName, '--json')

    expect(errors).toBe(`The pets are those of the table ${copyName}.\n`)
    expect(JSON.parse(output)).toMatchObject({ name: 'Bella as she was' })
  })

  it('export --table of a table that does not exist fails with its name', async () => {
    const { errors, exitCode } = await pets.run('export', '--table', 'gone', '--out', pets.pathOf('copy.jsonl'))

    expect(errors).toContain('There is no table gone in the account and Region of the environment.\n')
    expect(exitCode).toBe(1)
    expect(existsSync(pets.pathOf('copy.jsonl'))).toBe(false)
  })
})
