import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { getAuditFile } from '../../../../../infra/operations/environment/audit-trail.ts'
import { createPetsTool } from '../../../../../infra/operations/pets/pets-tool.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { assignPetId, type Pet } from '../../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { createClients } from '../../../../fixtures/clients.ts'
import { type Colleague, createColleague } from '../../../../fixtures/colleague.ts'
import { readAudit, registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'
import { generateContractPets } from '../../../../fixtures/contract-pets.ts'
import { createFreshTables } from '../../../../fixtures/engines.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }

/** The same pet in the JSON that commands print. */
const bellaJson = { id: 5, name: 'Bella', categoryId: 1, status: 'available' }

const milo: Pet = { id: 6n, name: 'Milo', categoryId: 1n, status: 'pending' }

describe('npm run pets', () => {
  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
  let colleague: Colleague

  beforeEach(async () => {
    environment = await registerLocalEnvironment()
    colleague = createColleague(createClients(environment.engine).client, environment.tables.pets)
    await colleague.store(bella)
  })

  /** Path of a file in the data folder. */
  const pathOf = (name: string): string => join(environment.dataFolder, name)

  const run = (...words: readonly string[]) => runToolInProcess(createPetsTool(), [...words, ...environment.options])

  const startProcess = (...words: readonly string[]) =>
    startNode(['infra/operations/pets/pets.ts', ...words, ...environment.options])

  /** Runs a command that succeeds. @returns the JSON object that it prints */
  const runForJson = async (...words: readonly string[]) => {
    const { output, errors, exitCode } = await run(...words, '--json')
    // A command that takes more than five seconds reports its progress.
    expect(errors).toMatch(/^([\d,]+( of [\d,]+)? pets, .*\n)*$/)
    expect(exitCode).toBe(0)
    return JSON.parse(output)
  }

  describe.each([
    { format: 'csv', optionsOfOutput: [] },
    { format: 'jsonl', optionsOfOutput: ['--json'] },
  ])('for a backup as $format of pets with any names', ({ format, optionsOfOutput }) => {
    /** Characters that file formats and spreadsheets treat specially. */
    const specialCharacters = [...'\u0000\t\n\r "\',;=+-@＝\\\u0085\u2028\u2029\ufeff\ufffd\u202e']
    const character = fc.oneof(
      fc.constantFrom(...specialCharacters),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    )
    const names = fc.string({ unit: character, minLength: 1, maxLength: 20 })
    // The `x` makes each name valid: a name may not be only spaces.
    const petsWithAnyName = fc.tuple(generateContractPets(), names).map(([pet, name]) => ({ ...pet, name: `${name}x` }))

    let pets: readonly Pet[]

    beforeEach(async () => {
      const specialPets = specialCharacters.map((name) => ({ ...bella, name: `${name}x` }))
      const randomPets = fc.sample(petsWithAnyName, chooseBySize(20, 600))
      const newPets = [...specialPets, ...randomPets].map((pet, index) => assignPetId(6n + BigInt(index), pet))
      await Promise.all(newPets.map((pet) => colleague.store(pet)))
      pets = [bella, ...newPets]
      expect(await colleague.list()).toEqual(pets)
    })

    it('export prints what it writes to a file with --out', async () => {
      const backup = pathOf(`backup.${format}`)
      await runForJson('export', '--out', backup)

      const printed = startProcess('export', ...optionsOfOutput)

      expect(await printed.ended).toBe(0)
      expect(printed.output()).toBe(readFileSync(backup, 'utf8'))
    })

    it('import restores each pet exactly', async () => {
      const backup = pathOf(`backup.${format}`)
      await runForJson('export', '--out', backup)
      await runForJson('remove', ...pets.map(({ id }) => String(id)))
      expect(await colleague.list()).toEqual([])

      const report = await runForJson('import', backup, '--restore')

      expect(report).toMatchObject({ restored: pets.length })
      expect(await colleague.list()).toEqual(pets)
    })
  })

  it('export --status writes only the pets of that status', async () => {
    await colleague.store(milo)

    const report = await runForJson('export', '--status', 'pending', '--out', pathOf('pending.jsonl'))

    expect(report).toMatchObject({ pets: 1 })
    expect(JSON.parse(readFileSync(pathOf('pending.jsonl'), 'utf8'))).toMatchObject({ id: 6, status: 'pending' })
  })

  it('import adds a new pet, which is available by default', async () => {
    await colleague.remove(5n)
    writeFileSync(pathOf('arrivals.csv'), 'name;categoryId\nMilo;1\n')

    const report = await runForJson('import', pathOf('arrivals.csv'))

    expect(report).toMatchObject({ created: 1 })
    expect(await colleague.list()).toEqual([
      { id: expect.any(BigInt), name: 'Milo', categoryId: 1n, status: 'available' },
    ])
  })

  it('set changes a value, and reports the pet before and after the change', async () => {
    const report = await runForJson('set', '5', '--status', 'sold')

    expect(report).toMatchObject({
      changed: 1,
      changes: [{ outcome: 'changed', old: bellaJson, new: { ...bellaJson, status: 'sold' } }],
    })
    expect(await colleague.list()).toEqual([{ ...bella, status: 'sold' }])
  })

  it('set leaves a pet unchanged that has the value already', async () => {
    const report = await runForJson('set', '5', '--status', 'available')

    expect(report).toMatchObject({ changed: 0, unchanged: 1 })
  })

  it('set changes several pets, and the audit has each change', async () => {
    await colleague.store(milo)

    const report = await runForJson('set', '5', '6', '--category', '7')

    expect(report).toMatchObject({ changed: 2 })
    expect(await colleague.list()).toEqual([
      { ...bella, categoryId: 7n },
      { ...milo, categoryId: 7n },
    ])
    const doneChanges = readAudit(environment.dataFolder).filter(({ outcome }) => outcome === 'done')
    expect(doneChanges.map(({ ids }) => ids).toSorted()).toEqual([['5'], ['6']])
  })

  it('show prints a pet once whose id is given twice', async () => {
    const { pets } = await runForJson('show', '5', '5')

    expect(pets).toMatchObject([bellaJson])
  })

  it('show prints the key that has added a pet', async () => {
    const { client } = createClients(environment.engine)
    await new PetStore(client, environment.tables.pets).put(milo, 'an attempt', { addedBy: 'key_one' as KeyId })

    expect(await runForJson('show', '6')).toMatchObject({ pets: [{ id: 6, addedBy: 'key_one' }] })
  })

  it('show prints who has changed a pet last, when and with which command', async () => {
    await runForJson('set', '5', '--status', 'sold')

    const { pets } = await runForJson('show', '5')

    const [begun] = readAudit(environment.dataFolder)
    const lastChange = { time: begun.time, who: userInfo().username, action: 'pets set' }
    expect(pets).toMatchObject([{ id: 5, lastChange }])
  })

  it('remove does not change a pet that was removed before', async () => {
    await colleague.store(milo)
    await runForJson('remove', '5')

    expect(await runForJson('remove', '5', '6')).toMatchObject({ removed: 1, unchanged: 1 })

    const doneChanges = readAudit(environment.dataFolder).filter(({ outcome }) => outcome === 'done')
    expect(doneChanges.flatMap(({ ids }) => ids)).toEqual(['5', '6'])
  })

  describe('with ids on standard input', () => {
    const provideInput = (text: string): void => {
      vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([text]) as typeof process.stdin)
    }

    beforeEach(() => colleague.store(milo))

    it('remove takes the first word of each line', async () => {
      provideInput('  5  available  Bella\n\n6  pending  Milo\n')

      expect(await runForJson('remove', '-')).toMatchObject({ removed: 2 })
      expect(await colleague.list()).toEqual([])
    })

    it('set takes them beside those of the command line', async () => {
      provideInput('6\n5\n')

      expect(await runForJson('set', '5', '-', '--status', 'sold')).toMatchObject({ changed: 2 })
    })

    it.each([
      {
        mistake: 'a line that does not begin with an id',
        input: '5\nid,name\n',
        sentence: 'Line 2 of standard input does not begin with the id of a pet. Nothing is done.',
      },
      { mistake: 'no line', input: '\n', sentence: 'Standard input has no id of a pet.' },
    ])('remove removes nothing with $mistake', async ({ input, sentence }) => {
      provideInput(input)

      const { errors, exitCode } = await run('remove', '-')

      expect(errors).toContain(sentence)
      expect(exitCode).toBe(2)
      expect(await colleague.list()).toEqual([bella, milo])
    })
  })

  it('remove reports the pet that it removes', async () => {
    const report = await runForJson('remove', '5')

    expect(report).toMatchObject({ removed: 1, changes: [{ outcome: 'removed', old: bellaJson }] })
    expect(await colleague.list()).toEqual([])
  })

  it('import --dry-run shows what it would restore', async () => {
    await runForJson('remove', '5', '--out', pathOf('kept.jsonl'))

    const { output } = await run('import', pathOf('kept.jsonl'), '--restore', '--dry-run')

    expect(output).toMatch(/^Nothing is written\..*:\n.*\n.*\n1 restored\.\n$/)
    expect(await colleague.list()).toEqual([])
  })

  it('import --restore brings back a removed pet from the file that has kept it', async () => {
    await runForJson('remove', '5', '--out', pathOf('kept.jsonl'))

    const report = await runForJson('import', pathOf('kept.jsonl'), '--restore')

    expect(report).toMatchObject({ restored: 1 })
    expect(await colleague.list()).toEqual([bella])
  })

  describe('with a copy of the pets table', () => {
    let copyName: string

    beforeEach(async () => {
      const { client } = createClients(environment.engine)
      copyName = (await createFreshTables(environment.engine)).pets
      await createColleague(client, copyName).store({ ...bella, name: 'Bella as she was' })
    })

    it('export --table writes the pets of the copy, and says so', async () => {
      const { output, errors } = await run('export', '--table', copyName, '--out', pathOf('copy.jsonl'))

      expect(errors).toBe(`The pets are those of the table ${copyName}.\n`)
      expect(output).toBe(`${pathOf('copy.jsonl')} has 1 pet.\n`)
      expect(JSON.parse(readFileSync(pathOf('copy.jsonl'), 'utf8'))).toMatchObject({ id: 5, name: 'Bella as she was' })
    })

    it('export --table of a table that does not exist fails with its name', async () => {
      const { errors, exitCode } = await run('export', '--table', `${copyName}-gone`, '--out', pathOf('copy.jsonl'))

      expect(errors).toContain(`There is no table ${copyName}-gone in the account and Region of the environment.\n`)
      expect(exitCode).toBe(1)
      expect(existsSync(pathOf('copy.jsonl'))).toBe(false)
    })
  })

  it('a file whose name ends in .JSONL in capitals is JSON Lines too', async () => {
    await runForJson('remove', '5', '--out', pathOf('kept.JSONL'))

    expect(JSON.parse(readFileSync(pathOf('kept.JSONL'), 'utf8'))).toMatchObject(bellaJson)
  })

  it('the audit has one entry for each change: who changed what and why', async () => {
    await colleague.remove(5n)
    writeFileSync(pathOf('arrivals.csv'), 'name;categoryId\nMilo;1\n')

    await runForJson('import', pathOf('arrivals.csv'), '--why', 'arrivals')
    const [pet] = await colleague.list()
    const id = `${pet?.id}`
    await runForJson('set', id, '--status', 'sold', '--why', 'adopted')
    await runForJson('remove', id, '--out', pathOf('kept.jsonl'))
    await runForJson('import', pathOf('kept.jsonl'), '--restore')

    const entry = { who: userInfo().username, environment: 'local', time: expect.any(String), ids: [id] }
    const doneChanges = readAudit(environment.dataFolder).filter(({ outcome }) => outcome === 'done')
    expect(doneChanges).toMatchObject([
      { ...entry, action: 'pets import', old: null, new: { status: 'available' }, why: 'arrivals' },
      { ...entry, action: 'pets set', old: { status: 'available' }, new: { status: 'sold' }, why: 'adopted' },
      { ...entry, action: 'pets remove', old: { status: 'sold' }, new: null },
      { ...entry, action: 'pets import', old: null, new: { status: 'sold' } },
    ])
  })

  it('a command that changes nothing leaves no entry in the audit', async () => {
    await runForJson('remove', '5', '--out', pathOf('kept.jsonl'))
    const auditBefore = readAudit(environment.dataFolder)
    await run('import', pathOf('kept.jsonl'), '--restore', '--dry-run')
    expect(readAudit(environment.dataFolder)).toEqual(auditBefore)

    await runForJson('import', pathOf('kept.jsonl'), '--restore')
    const auditOfRestored = readAudit(environment.dataFolder)
    await runForJson('set', '5', '--status', 'available')
    await runForJson('show', '5')
    expect(readAudit(environment.dataFolder)).toEqual(auditOfRestored)
  })

  describe('with the path of a file', () => {
    beforeEach(() => {
      // npm sets INIT_CWD to the folder where it was called.
      vi.stubEnv('INIT_CWD', environment.dataFolder)
    })

    it('export resolves a relative path from the folder where npm was called', async () => {
      const { output } = await run('export', '--out', 'pets.csv')

      expect(output).toBe(`${pathOf('pets.csv')} has 1 pet.\n`)
      expect(existsSync(pathOf('pets.csv'))).toBe(true)
    })

    it('import resolves a relative path from the folder where npm was called', async () => {
      await run('export', '--out', pathOf('pets.csv'))

      expect(await runForJson('import', 'pets.csv')).toMatchObject({ unchanged: 1 })
    })

    it.each([
      { out: 'pets.csv', kind: 'a file', command: 'export', words: [] },
      { out: 'pets.csv', kind: 'a file', command: 'remove', words: ['5'] },
      { out: 'link.csv', kind: 'a broken link', command: 'export', words: [] },
      { out: 'link.csv', kind: 'a broken link', command: 'remove', words: ['5'] },
      { out: '/dev/null', kind: 'a device', command: 'export', words: [] },
      { out: '/dev/null', kind: 'a device', command: 'remove', words: ['5'] },
      { out: '.', kind: 'a folder', command: 'export', words: [] },
      { out: '.', kind: 'a folder', command: 'remove', words: ['5'] },
    ])('$command does not replace $kind', async ({ out, command, words }) => {
      await run('export', '--out', 'pets.csv')
      symlinkSync('nowhere', pathOf('link.csv'))
      const filesBefore = readdirSync(environment.dataFolder)

      const { errors, exitCode } = await run(command, ...words, '--out', out)

      expect(errors).toMatch(/^\/.* exists\. Name another file\.\n$/)
      expect(exitCode).toBe(1)
      expect(await colleague.list()).toEqual([bella])
      expect(readdirSync(environment.dataFolder)).toEqual(filesBefore)
    })
  })

  it.each([
    { command: ['show', '7'], expectedExitCode: 1, message: /^No pet has the id 7\.\n$/ },
    { command: ['set', '7', '--status', 'sold'], expectedExitCode: 1, message: /^No pet has the id 7\.\n$/ },
    { command: ['remove', '5', '7'], expectedExitCode: 1, message: /^No pet has the id 7\.\n$/ },
    { command: ['set', '5'], expectedExitCode: 2, message: /^Give a value to change/ },
    {
      command: ['set', '5', '--category', '1e3'],
      expectedExitCode: 2,
      message: /'--category <value>' argument '1e3' is invalid\. It must be an integer/,
    },
    {
      command: ['show', '2.44E+14'],
      expectedExitCode: 2,
      message: /'2\.44E\+14' is invalid for argument 'id'\. It must be a whole number/,
    },
    {
      command: ['import', '/nowhere.csv'],
      expectedExitCode: 1,
      message: /^\/nowhere\.csv is no file that can be read/,
    },
    { command: ['import', '/dev/null'], expectedExitCode: 1, message: /^The file is empty\.\n$/ },
    {
      command: ['remove', '5', '--out', '/no-folder/x.csv'],
      expectedExitCode: 1,
      message: /^The folder \/no-folder does not exist\.\n$/,
    },
  ])(
    'the command $command changes nothing and says what is wrong with it',
    async ({ command, expectedExitCode, message }) => {
      const { errors, exitCode } = await run(...command)

      expect(errors).toMatch(message)
      expect(exitCode).toBe(expectedExitCode)
      expect(await colleague.list()).toEqual([bella])
    },
  )

  /** Number of times that the import is killed. `PET_IMPORT_KILLS=100` kills it more often. */
  const killCount = Number(process.env['PET_IMPORT_KILLS'] ?? chooseBySize(1, 20))

  describe(`for an import that is killed ${killCount} times`, () => {
    const names = Array.from({ length: Math.max(300, killCount * 20) }, (_, index) => `Pet ${index}`)
    // Bella's row in the file gets another status, while a colleague changes her name in the table: a conflict.
    const theirs = { ...bellaJson, name: 'Theirs' }
    const yours = { ...bellaJson, status: 'pending' }

    const importCommand = (): readonly string[] => ['import', pathOf('rows.jsonl'), '--out', pathOf('result.csv')]

    const measureAudit = (): number =>
      statSync(getAuditFile(environment.dataFolder), { throwIfNoEntry: false })?.size ?? 0

    /** Starts the import, and kills it within 800 ms: before or after its first write. */
    const killAtStart = async (fraction: number): Promise<void> => {
      const { child, ended } = startProcess(...importCommand(), '--per-second', '15')
      await sleep(fraction * 800)
      child.kill('SIGKILL')
      expect(await ended).toBe(null)
    }

    /** Starts the import, and kills it in the middle of its writes. */
    const killWhileWriting = async (fraction: number): Promise<void> => {
      const sizeBefore = measureAudit()
      const { child, ended } = startProcess(...importCommand(), '--per-second', '15')
      while (measureAudit() === sizeBefore && child.exitCode === null) await sleep(5)
      await sleep(fraction * 30)
      child.kill('SIGKILL')
      expect(await ended).toBe(null)
    }

    it('the last import has added each pet once and reports the conflict', {
      timeout: killCount * 60_000,
    }, async () => {
      await runForJson('export', '--out', pathOf('pets.jsonl'))
      const editedRow = readFileSync(pathOf('pets.jsonl'), 'utf8').replace('available', 'pending')
      const newRows = names.map((name) => `{"name":"${name}","categoryId":7}\n`)
      writeFileSync(pathOf('rows.jsonl'), editedRow + newRows.join(''))
      await colleague.store({ ...bella, name: 'Theirs' })

      // Each killed import writes 15 pets at most, so that all together write about half of the rows.
      const fractions = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), killCount)
      for (const [index, fraction] of fractions.entries()) {
        if (index % 4 === 0) await killAtStart(fraction)
        else await killWhileWriting(fraction)
      }
      const unfinished = await colleague.list()
      expect(unfinished.length).toBeLessThan(names.length)

      const { output, exitCode } = await run(...importCommand(), '--json')

      expect(JSON.parse(output)).toMatchObject({ conflict: 1, changes: [{ theirs, yours }] })
      expect(exitCode).toBe(3)
      const storedNames = (await colleague.list()).map(({ name }) => name)
      expect(storedNames.toSorted()).toEqual([...names, 'Theirs'].toSorted())
      const repeated = await run('import', pathOf('result.csv'))
      expect(repeated.output).toMatch(/^[\d,]+ unchanged\.\n$/)
      expect(await colleague.list()).toHaveLength(names.length + 1)
    })
  })
})
