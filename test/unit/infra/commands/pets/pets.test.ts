import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { describeMalformedPets } from '../../../../../infra/commands/changes/read-pets.ts'
import { readStoredPet } from '../../../../../infra/commands/changes/stored-pet.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { createApiCallers } from '../../../../fixtures/commands/callers.ts'
import { provideInput } from '../../../../fixtures/commands/commands.ts'
import { openPetCommands, type PetCommands } from '../../../../fixtures/commands/pet-commands.ts'
import { editItem } from '../../../../fixtures/database/edit-item.ts'
import { createFreshTables } from '../../../../fixtures/database/engines.ts'
import { startNode } from '../../../../fixtures/machine/node-process.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const bellaJson = { id: 5, name: 'Bella', categoryId: 1, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 2n, status: 'pending' }
const miloJson = { id: 6, name: 'Milo', categoryId: 2, status: 'pending' }
/** The shelter that an animal comes from, and its number there. */
const elmStreet = { source: 'elm-street', number: '0071' }

let pets: PetCommands

beforeEach(async () => {
  pets = await openPetCommands()
  await pets.callers.addPet(bella)
})

/** Adds Milo as an animal of a shelter, with its entry in the index. */
const restoreMiloOfElmStreet = () => pets.run('restore', pets.writeRows([{ ...miloJson, ...elmStreet }]))

it('pets add prints the id before the pet is written, and adds the pet with a record', async () => {
  const { json, errors } = await pets.runForJson('add', '--name', 'Max', '--category', '7', '--why', 'found')

  expect(errors).toBe(`The pet gets the id ${json.added.id}. Running this command again adds another pet.\n`)
  expect(json).toMatchObject({ added: { name: 'Max', categoryId: 7, status: 'available' } })
  expect(await pets.callers.listPets()).toMatchObject([bella, { name: 'Max' }])
  const record = { target: `pet#${json.added.id}`, action: 'pets add', who: userInfo().username, why: 'found' }
  expect(await pets.readRecords()).toMatchObject([{ ...record, old: null, new: { name: 'Max' } }])
})

it('pets add on a machine whose clock is a minute ahead says so, and adds nothing', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)

  const { errors, exitCode } = await pets.run('add', '--name', 'Max', '--category', '7')

  expect(errors).toMatch(/^The clock of this machine says .*, and the service says .*\. Set the clock\.$/m)
  expect(exitCode).toBe(1)
  expect(await pets.callers.listPets()).toEqual([bella])
})

it('pets add without a category adds nothing', async () => {
  const { errors, exitCode } = await pets.run('add', '--name', 'Max')

  expect(errors).toContain('--category is missing')
  expect(exitCode).toBe(2)
  expect(await pets.callers.listPets()).toEqual([bella])
})

it('pets show finds an animal by its source and number, also a removed one, with its latest change', async () => {
  await restoreMiloOfElmStreet()
  await pets.run('remove', '6')

  const { json } = await pets.runForJson('show', '--source', 'elm-street', '--number', '0071')

  const changeId = (await pets.readRecords()).at(-1)?.changeId
  expect(json.pets).toEqual([{ id: 6, name: 'Milo', categoryId: 2, removed: 'by hand', ...elmStreet, changeId }])
})

it.each([
  { words: ['99'], sentence: 'No pet has the id 99. Nothing is done.' },
  { words: ['--source', 'elm-street', '--number', '1'], sentence: 'The source elm-street has no animal 1.' },
  { words: ['--number', '1'], sentence: 'Give an id, or --source and --number.' },
  { words: ['--source', 'elm-street', '--number', ''], sentence: 'Give an id, or --source and --number.' },
  { words: [], sentence: 'Give an id, or --source and --number.' },
])('pets show $words says "$sentence"', async ({ words, sentence }) => {
  expect((await pets.run('show', ...words)).errors).toBe(`${sentence}\n`)
})

describe('pets list', () => {
  const annabel: Pet = { id: 7n, name: 'ANNABEL', categoryId: 2n, status: 'available' }

  beforeEach(async () => {
    await pets.callers.addPet(milo, 'key_one' as KeyId)
    await pets.callers.addPet(annabel, 'key_two' as KeyId)
    // The accent of this name is a character of its own. A search finds it as one character with its letter, too.
    await pets.callers.addPet({ id: 8n, name: 'Zoe\u0308', categoryId: 3n, status: 'sold' })
  })

  it('pets list prints pets with the newest first', async () => {
    const { output, errors, exitCode } = await pets.run('list')

    expect(output.split('\n')).toEqual([
      '8                 sold       3     -                       Zoe\u0308',
      '7                 available  2     key_two                 ANNABEL',
      '6                 pending    2     key_one                 Milo',
      '5                 available  1     -                       Bella',
      '',
    ])
    expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 0 })
  })

  it('pets list --json prints a JSON object on each line', async () => {
    const { output } = await pets.run('list', '--status', 'pending', '--json')

    expect(output).toBe('{"id":6,"name":"Milo","categoryId":2,"status":"pending","addedBy":"key_one"}\n')
  })

  it.each([
    { words: ['--name', 'bel'], ids: [7, 5] },
    { words: ['--name', 'zo\u00eb'], ids: [8] },
    { words: ['--category', '2'], ids: [7, 6] },
    { words: ['--status', 'available'], ids: [7, 5] },
    { words: ['--added-by', 'key_one'], ids: [6] },
    { words: ['--status', 'available', '--category', '2'], ids: [7] },
  ])('pets list $words prints only pets that match', async ({ words, ids }) => {
    const { output } = await pets.run('list', ...words, '--json')

    const lines = output.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids)
  })

  it('pets list --source lists removed animals only with --json', async () => {
    await pets.run('restore', pets.writeRows([{ ...miloJson, id: 9, ...elmStreet }]))
    await pets.run('remove', '9')

    expect((await pets.run('list', '--source', 'elm-street')).output).toBe('')
    const { output } = await pets.run('list', '--source', 'elm-street', '--json')
    expect(JSON.parse(output)).toMatchObject({ id: 9, removed: 'by hand' })
  })

  it('pets list says that no pet matches, and prints nothing', async () => {
    expect(await pets.run('list', '--name', 'Max')).toEqual({ output: '', errors: 'No pet matches.\n', exitCode: 0 })
  })

  it('pets list does not take an API key for its id', async () => {
    const { errors, exitCode } = await pets.run('list', '--added-by', 'pet_test_0')

    expect(errors).toContain('It must be the id of an API key, which "npm run keys -- show" prints.')
    expect(exitCode).toBe(2)
  })
})

it('pets set changes pets, and reports each one before and after with its change', async () => {
  await pets.callers.addPet(milo)

  const { json } = await pets.runForJson('set', '5', '6', '--status', 'sold')

  expect(json).toMatchObject({ changed: 2 })
  expect(json.changes[0]).toMatchObject({ old: bellaJson, new: { ...bellaJson, status: 'sold' } })
  expect(await pets.readRecords()).toMatchObject([
    { action: 'pets set', old: { status: 'available' }, new: { status: 'sold' } },
    { action: 'pets set', old: { status: 'pending' }, new: { status: 'sold' } },
  ])
  expect(await pets.callers.listPets()).toEqual([
    { ...bella, status: 'sold' },
    { ...milo, status: 'sold' },
  ])
})

it('pets set leaves a pet that has the value already, and the audit has no record', async () => {
  expect((await pets.runForJson('set', '5', '--status', 'available')).json).toMatchObject({ unchanged: 1 })
  expect(await pets.readRecords()).toEqual([])
})

it('pets set changes nothing if one of the ids has no pet', async () => {
  const { errors, exitCode } = await pets.run('set', '5', '99', '--status', 'sold')

  expect(errors).toBe('No pet has the id 99. Nothing is done.\n')
  expect(exitCode).toBe(1)
  expect(await pets.callers.listPets()).toEqual([bella])
})

it.each([
  {
    words: ['--status', 'sold'],
    reason: 'The pet 5 cannot be read: its item has no valid name. Give that a value too',
  },
  { words: ['--name', 'Belle'], reason: 'it is removed, and --status shows it again' },
])(
  'pets set $words does not show a pet again that was removed by hand and comes from no shelter',
  async ({ words, reason }) => {
    await pets.run('remove', '5')

    const { json, exitCode } = await pets.runForJson('set', '5', ...words)

    expect(json.changes).toMatchObject([{ outcome: 'conflict', reason }])
    expect(exitCode).toBe(3)
    expect(await pets.callers.listPets()).toEqual([])
  },
)

it('pets remove reports what it removes, and can be repeated', async () => {
  await pets.callers.addPet(milo)
  const { json } = await pets.runForJson('remove', '5')

  expect(json).toMatchObject({ removed: 1, changes: [{ outcome: 'removed', old: bellaJson }] })
  expect((await pets.runForJson('remove', '5', '6')).json).toMatchObject({ removed: 1, unchanged: 1 })
  expect(await pets.callers.listPets()).toEqual([])
})

it('pets remove takes the first word of each line of standard input', async () => {
  await pets.callers.addPet(milo)
  provideInput('  5  available  Bella\n\n6  pending  Milo\n')

  expect((await pets.runForJson('remove', '-')).json).toMatchObject({ removed: 2 })
})

it.each([
  { mistake: 'a line that does not begin with an id', input: '5\nid,name\n', sentence: '"id,name" is not the id' },
  { mistake: 'no line', input: '\n', sentence: 'Standard input has no line with the id of a pet.' },
])('pets remove removes nothing if standard input has $mistake', async ({ input, sentence }) => {
  provideInput(input)

  const { errors, exitCode } = await pets.run('remove', '-')

  expect(errors).toContain(sentence)
  expect(exitCode).toBe(2)
  expect(await pets.callers.listPets()).toEqual([bella])
})

it('pets undo - reads the records of audit --json from standard input', async () => {
  await pets.run('remove', '5')
  const [record] = await pets.readRecords()
  provideInput(`{"who":"alice","changeId":"${record?.changeId}"}\n`)

  expect((await pets.runForJson('undo', '-')).json).toMatchObject({ returned: 1 })
})

it('pets undo refuses the change of a key, and names the command for keys', async () => {
  const changeId = '20301231T235959.999Z-key_0mwzbwko07dbzjakr-a8f2'

  const { errors, exitCode } = await pets.run('undo', changeId)

  expect(errors).toBe(`${changeId} is the change of a key, which "keys set" changes. Leave it out. Nothing is done.\n`)
  expect(exitCode).toBe(2)
})

it('each command that changes pets shows with --dry-run what it would change, and changes nothing', async () => {
  await restoreMiloOfElmStreet()
  const renamed = await pets.runForJson('set', '6', '--name', 'Max')
  const { output: sheet } = await pets.run('export')
  const rows = await pets.exportRows()
  const commandLines = [
    { words: ['set', '5', '--status', 'sold'], line: 'pet 5: status available to sold' },
    { words: ['remove', '5'], line: 'pet 5: removed by hand: name Bella, category id 1, status available' },
    { words: ['undo', renamed.json.changes[0].changeId], line: 'animal 0071, pet 6: name Max to Milo' },
    {
      words: ['import', pets.writeText('sheet.csv', sheet.replace('Bella', 'Belle'))],
      line: 'line 3, pet 5: name Bella to Belle',
    },
    {
      words: ['restore', pets.writeRows([{ ...bellaJson, name: 'Belle' }])],
      line: 'line 1, pet 5: name Bella to Belle',
    },
  ]
  for (const { words, line } of commandLines) {
    const { output, exitCode } = await pets.run(...words, '--dry-run')

    expect(output).toContain(`Nothing is changed. It would be:\n${line}`)
    expect(exitCode).toBe(0)
  }
  expect(await pets.exportRows()).toEqual(rows)
})

it('pets export prints what it writes to a file', async () => {
  await pets.run('export', '--out', pets.pathOf('pets.csv'))

  const { output } = await pets.run('export')

  expect(output).toBe(readFileSync(pets.pathOf('pets.csv'), 'utf8'))
  expect(output).toMatch(/^\ufeffid,name,categoryId,status,.*source,number,version\n/)
})

it('pets export --status writes only the pets of that status', async () => {
  await pets.callers.addPet(milo)

  const { output } = await pets.run('export', '--status', 'pending', '--json')

  expect(JSON.parse(output)).toMatchObject({ id: 6, status: 'pending' })
})

it.each(['pets.csv', 'link.csv', '.'])('pets export leaves what is at the path %s', async (name) => {
  pets.writeText('pets.csv', 'mine')
  symlinkSync('nowhere', pets.pathOf('link.csv'))

  const { errors, exitCode } = await pets.run('export', '--out', pets.pathOf(name))

  expect(errors).toMatch(/ exists\. Name another file\.\n$/)
  expect(exitCode).toBe(1)
  expect(readFileSync(pets.pathOf('pets.csv'), 'utf8')).toBe('mine')
})

it('an export whose disk is full leaves no file', async () => {
  // The export of these pets has more than 512 bytes.
  for (const id of [100n, 101n, 102n]) await pets.callers.addPet({ ...bella, id, name: 'x'.repeat(255) })
  const words = ['export', '--out', pets.pathOf('pets.jsonl'), ...pets.options]
  // The limit stands for a full disk: the process may write files of at most one block of 512 bytes.
  const commandPrefix = ['sh', '-c', 'ulimit -f 1; exec "$@"', 'sh']

  const exported = startNode(['infra/commands/run.ts', 'pets', ...words], { commandPrefix })

  expect(await exported.ended).toBe(1)
  expect(exported.errors()).toContain('EFBIG: file too large')
  expect(readdirSync(pets.dataFolder)).not.toContain('pets.jsonl')
})

it('pets export --table writes the pets of a restored copy, and says so', async () => {
  const copyName = (await createFreshTables(pets.engine)).pets
  await createApiCallers(pets.client, copyName).addPet({ ...bella, name: 'Bella as she was' })

  const { output, errors } = await pets.run('export', '--table', copyName, '--json')

  expect(errors).toBe(`The pets are those of the table ${copyName}.\n`)
  expect(JSON.parse(output)).toMatchObject({ name: 'Bella as she was' })
})

it('pets export --table of a table that does not exist fails with its name', async () => {
  const { errors, exitCode } = await pets.run('export', '--table', 'gone', '--out', pets.pathOf('copy.jsonl'))

  expect(errors).toContain('There is no table gone in the account and Region of the environment.\n')
  expect(exitCode).toBe(1)
  expect(existsSync(pets.pathOf('copy.jsonl'))).toBe(false)
})

describe('an item that somebody has edited by hand', () => {
  const sentence = 'The pet 5 cannot be read: its item has no valid categoryId.'
  const advice = '"set" gives a pet other values, and "remove" removes it.'

  /** Edits the item of Bella by hand. */
  const damage = (change: Readonly<Record<string, unknown>>): Promise<void> =>
    editItem(pets.client, pets.tables.pets, { id: bella.id }, change)

  beforeEach(async () => {
    await pets.callers.addPet(milo)
    await damage({ categoryId: ['cats'] })
  })

  it('show, list and export name a pet that cannot be read, and print the others', async () => {
    const shown = await pets.runForJson('show', '5', '6')
    expect(shown.json).toMatchObject({ pets: [miloJson], malformed: [{ id: 5, attribute: 'categoryId' }] })
    expect(shown.exitCode).toBe(1)

    const listed = await pets.run('list', '--json')
    expect(JSON.parse(listed.output)).toMatchObject(miloJson)
    expect(listed).toMatchObject({ errors: `${sentence}\n${advice}\n`, exitCode: 1 })

    const exported = await pets.run('export', '--out', pets.pathOf('pets.jsonl'))
    expect(exported.output).toBe(`${pets.pathOf('pets.jsonl')} has 1 pet.\n${sentence}\n${advice}\n`)
    expect(exported.exitCode).toBe(1)
  })

  it('pets set mends a pet that cannot be read, and the audit has the malformed value', async () => {
    const { json } = await pets.runForJson('set', '5', '--category', '7')

    expect(json).toMatchObject({ changed: 1, changes: [{ old: { categoryId: ['cats'] }, new: { categoryId: 7 } }] })
    expect(await pets.callers.listPets()).toEqual([{ ...bella, categoryId: 7n }, milo])
    expect(await pets.readRecords()).toMatchObject([{ old: { categoryId: ['cats'] }, new: { categoryId: 7 } }])
  })

  it('pets set without the malformed field of a pet names the field, and leaves the pet', async () => {
    const { output, exitCode } = await pets.run('set', '5', '--name', 'Belle')

    expect(output).toContain(`pet 5: kept, ${sentence} Give that a value too`)
    expect(exitCode).toBe(3)
    expect(await pets.callers.listPets()).toEqual([milo])
  })

  it('pets remove removes a pet that cannot be read, also if its count of changes cannot be read', async () => {
    await damage({ changeCount: 'many' })

    // The other malformed attribute is the categoryId.
    expect((await pets.runForJson('remove', '5')).json).toMatchObject({ removed: 1 })
    expect(await pets.callers.listPets()).toEqual([milo])
  })

  it('an item whose id is no whole number does not hide other pets', async () => {
    await pets.client.send(new PutCommand({ TableName: pets.tables.pets, Item: { ...bella, id: 1.5 } }))

    for (const command of ['list', 'export']) {
      const { output, errors, exitCode } = await pets.run(command)
      expect(output).toContain('Milo')
      expect(errors).toContain('its item has no valid id')
      expect(exitCode).toBe(1)
    }
  })

  it('at most a hundred pets that cannot be read are named', () => {
    const malformedPet = readStoredPet({ id: 5 })

    const lines = describeMalformedPets(Array.from({ length: 102 }, () => malformedPet))

    expect(lines.filter((line) => line.startsWith('The pet 5 cannot be read'))).toHaveLength(100)
    expect(lines.slice(100)).toEqual(['2 more cannot be read.', advice])
  })
})
