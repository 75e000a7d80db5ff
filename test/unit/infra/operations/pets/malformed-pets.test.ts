import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createPetsTool } from '../../../../../infra/operations/pets/pets-tool.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { createClients } from '../../../../fixtures/clients.ts'
import { type Colleague, createColleague } from '../../../../fixtures/colleague.ts'
import { readAudit, registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'
import { editItem } from '../../../../fixtures/edit-item.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 2n, status: 'pending' }
const miloJson = { id: 6, name: 'Milo', categoryId: 2, status: 'pending' }

const sentence = 'The pet 5 cannot be read: its item has no valid categoryId.'
const advice = '"set" gives a pet other values, and "remove" removes it.'

describe('npm run pets with an item that cannot be read', () => {
  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
  let colleague: Colleague

  const run = (...words: readonly string[]) => runToolInProcess(createPetsTool(), [...words, ...environment.options])

  /** Runs a command that succeeds. @returns the JSON object that it prints */
  const runForJson = async (...words: readonly string[]) => {
    const { output, errors, exitCode } = await run(...words, '--json')
    expect(errors).toBe('')
    expect(exitCode).toBe(0)
    return JSON.parse(output)
  }

  /** Edits the item of Bella by hand. */
  const damage = async (change: Readonly<Record<string, unknown>>): Promise<void> => {
    const { client } = createClients(environment.engine)
    await editItem(client, environment.tables.pets, { id: bella.id }, change)
  }

  /** Path of a file in the data folder. */
  const pathOf = (name: string): string => join(environment.dataFolder, name)

  beforeEach(async () => {
    environment = await registerLocalEnvironment()
    const { client } = createClients(environment.engine)
    colleague = createColleague(client, environment.tables.pets)
    await colleague.store(bella)
    await colleague.store(milo)
    await damage({ categoryId: ['cats'] })
  })

  it('show names a pet that cannot be read, and shows the others', async () => {
    const { output, errors, exitCode } = await run('show', '5', '6', '--json')

    expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 1 })
    expect(JSON.parse(output)).toMatchObject({ pets: [miloJson], malformed: [{ id: 5, attribute: 'categoryId' }] })
  })

  it('show tells how to mend a pet that cannot be read', async () => {
    const { output } = await run('show', '5')

    expect(output).toBe(`${sentence}\n${advice}\n`)
  })

  it('export names a pet that cannot be read, and exports the others to a file', async () => {
    const { output, exitCode } = await run('export', '--out', pathOf('pets.jsonl'))

    expect(output).toBe(`${pathOf('pets.jsonl')} has 1 pet.\n${sentence}\n${advice}\n`)
    expect(exitCode).toBe(1)
    expect(JSON.parse(readFileSync(pathOf('pets.jsonl'), 'utf8'))).toMatchObject(miloJson)
  })

  it('export names a pet that cannot be read on standard error, and prints the others', async () => {
    const { output, errors, exitCode } = await run('export', '--json')

    expect(JSON.parse(output)).toMatchObject(miloJson)
    expect(errors).toBe(`${sentence}\n${advice}\n`)
    expect(exitCode).toBe(1)
  })

  it('export names at most a hundred pets', async () => {
    const { client } = createClients(environment.engine)
    const ids = Array.from({ length: 101 }, (_, index) => index + 1_000)
    await Promise.all(ids.map((id) => editItem(client, environment.tables.pets, { id }, { name: 'Max' })))

    const { output } = await run('export', '--out', pathOf('pets.csv'))

    const lines = output.trimEnd().split('\n')
    expect(lines).toHaveLength(103)
    expect(lines.at(-2)).toBe('2 more cannot be read.')
  })

  it('set mends a pet, and its audit has the malformed value', async () => {
    const report = await runForJson('set', '5', '--category', '7')

    expect(report).toMatchObject({
      changed: 1,
      changes: [{ outcome: 'changed', old: { categoryId: ['cats'] }, new: { name: 'Bella', categoryId: 7 } }],
    })
    expect(await colleague.list()).toEqual([{ ...bella, categoryId: 7n }, milo])
    // The first line of a change is written before the change.
    expect(readAudit(environment.dataFolder)[0]).toMatchObject({
      action: 'pets set',
      ids: ['5'],
      old: { categoryId: ['cats'] },
      new: { categoryId: 7 },
    })
  })

  it('set names the malformed field that it is not given, and changes nothing', async () => {
    const { output, errors, exitCode } = await run('set', '5', '--name', 'Belle')

    expect({ output, errors, exitCode }).toEqual({
      output: '',
      errors: `${sentence} Give that a value too.\n`,
      exitCode: 1,
    })
    expect(await colleague.list()).toEqual([milo])
  })

  it('remove removes a pet that cannot be read', async () => {
    const report = await runForJson('remove', '5', '6')

    expect(report).toMatchObject({ removed: 2, changes: [{ old: { id: 5, categoryId: ['cats'] } }, { old: miloJson }] })
    expect(await colleague.list()).toEqual([])
    expect(await run('show', '5')).toMatchObject({ errors: 'No pet has the id 5.\n' })
  })

  it('remove removes a pet whose count of changes cannot be read', async () => {
    await damage({ name: 'Bella', changeCount: 'many' })

    expect(await runForJson('remove', '5')).toMatchObject({ removed: 1 })
  })

  it('remove with a file does not remove a pet that the file cannot keep', async () => {
    const { errors, exitCode } = await run('remove', '5', '6', '--out', pathOf('removed.jsonl'))

    expect(errors).toBe(`${sentence} Name it in a command without --out.\n`)
    expect(exitCode).toBe(1)
    expect(await colleague.list()).toEqual([milo])
  })

  /** Exports both pets before one is damaged, and imports the file with other names. */
  const importNewNames = async (...options: readonly string[]) => {
    await damage({ categoryId: 1 })
    await runForJson('export', '--out', pathOf('pets.csv'))
    await damage({ categoryId: ['cats'] })
    const text = readFileSync(pathOf('pets.csv'), 'utf8')
    writeFileSync(pathOf('pets.csv'), text.replace('Bella', 'Belle').replace('Milo', 'Max'))
    return run('import', pathOf('pets.csv'), ...options, '--json')
  }

  it('import leaves a pet that cannot be read, and changes the others', async () => {
    const { output, exitCode } = await importNewNames()

    expect(exitCode).toBe(3)
    expect(JSON.parse(output)).toMatchObject({
      changed: 1,
      conflict: 1,
      changes: [{ outcome: 'conflict', reason: 'its item has no valid categoryId', theirs: { categoryId: ['cats'] } }],
    })
    expect(await colleague.list()).toEqual([{ ...milo, name: 'Max' }])
  })

  it('import with --overwrite mends a pet that cannot be read', async () => {
    const { output, exitCode } = await importNewNames('--overwrite')

    expect(exitCode).toBe(0)
    expect(JSON.parse(output)).toMatchObject({ changed: 2 })
    expect(await colleague.list()).toEqual([
      { ...bella, name: 'Belle' },
      { ...milo, name: 'Max' },
    ])
  })
})
