import { beforeEach, describe, expect, it } from 'vitest'
import { ChangeAudit, createChangeId, readChangeId } from '../../../../../infra/commands/environment/change-audit.ts'
import { PetTable } from '../../../../../infra/commands/pets/pet-table.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { openPetCommands, type PetCommands } from '../../../../fixtures/commands/pet-commands.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 1n, status: 'pending' }

let pets: PetCommands

beforeEach(async () => {
  pets = await openPetCommands()
  await pets.colleague.store(bella)
  await pets.colleague.store(milo)
})

describe('pets restore', () => {
  it('restore sets each pet to its row, also over later changes, and brings removed pets back', async () => {
    await pets.run('export', '--out', pets.pathOf('backup.csv'))
    await pets.colleague.store({ ...bella, status: 'sold' })
    await pets.colleague.remove(6n)

    const { json } = await pets.runForJson('restore', pets.pathOf('backup.csv'))

    expect(json).toMatchObject({ changed: 1, restored: 1 })
    expect(await pets.colleague.list()).toEqual([bella, milo])
    expect((await pets.runForJson('restore', pets.pathOf('backup.csv'))).json).toMatchObject({ unchanged: 2 })
  })

  it('--dry-run prints what it would replace, and changes nothing', async () => {
    await pets.run('export', '--out', pets.pathOf('backup.jsonl'))
    await pets.colleague.store({ ...bella, status: 'sold' })

    const { output } = await pets.run('restore', pets.pathOf('backup.jsonl'), '--dry-run')

    expect(output).toContain('  old: {"id":5,"name":"Bella","categoryId":1,"status":"sold"}\n')
    expect(output).toMatch(/\n1 changed, 1 unchanged\.\n$/)
    expect(await pets.colleague.list()).toEqual([{ ...bella, status: 'sold' }, milo])
  })

  it('a pet whose id has no item gets the source and the reference of its row', async () => {
    const row = { id: 9, name: 'Max', categoryId: 1, status: 'sold', source: 'elm-street', reference: '0071' }

    await pets.run('restore', pets.writeRows([row]))

    expect((await pets.runForJson('show', '9')).json).toMatchObject({ pets: [row] })
  })

  it('a row that was edited is refused, and is restored without its version', async () => {
    const [row = {}] = await pets.exportRows()
    const edited = { ...row, name: 'Max' }

    const refused = await pets.run('restore', pets.writeRows([edited]))

    expect(refused.errors).toContain('Line 1: it was changed since its export')
    expect(refused.exitCode).toBe(4)
    await pets.run('restore', pets.writeRows([{ ...edited, version: undefined }]))
    expect(await pets.colleague.list()).toEqual([bella, { ...milo, name: 'Max' }])
  })

  it('a row without a field that a pet needs is refused', async () => {
    const { errors, exitCode } = await pets.run('restore', pets.writeRows([{ id: 5, name: 'Max', categoryId: 1 }]))

    expect(errors).toContain('Line 1: status is missing; it must be one of available, pending, sold.')
    expect(exitCode).toBe(4)
  })
})

describe('pets undo', () => {
  /** Changes a pet with a command. @returns the id of the change */
  const change = async (...words: readonly string[]): Promise<string> => {
    const { json } = await pets.runForJson(...words)
    return json.changes[0].changeId
  }

  it('undo sets a pet to what it was before the oldest of its changes', async () => {
    const first = await change('set', '5', '--name', 'Belle')
    const second = await change('set', '5', '--status', 'sold')

    const { json } = await pets.runForJson('undo', second, first)

    expect(json).toMatchObject({ changed: 1, changes: [{ old: { name: 'Belle', status: 'sold' } }] })
    expect(await pets.colleague.list()).toEqual([bella, milo])
    expect((await pets.runForJson('undo', first, second)).json).toMatchObject({ unchanged: 1 })
  })

  it('a pet that somebody has changed after the newest change is a conflict', async () => {
    const changeId = await change('set', '5', '--name', 'Belle')
    await pets.run('set', '5', '--status', 'sold')

    const { json, exitCode } = await pets.runForJson('undo', changeId)

    expect(json).toMatchObject({ conflict: 1, changes: [{ theirs: { status: 'sold' }, yours: { name: 'Bella' } }] })
    expect(exitCode).toBe(3)
    expect(await pets.colleague.list()).toEqual([{ ...bella, name: 'Belle', status: 'sold' }, milo])
  })

  it('undo of a removal brings the pet back, and undo of an addition removes it', async () => {
    const removal = await change('remove', '5')
    const added = await pets.runForJson('add', '--name', 'Max', '--category', '1')

    const { json } = await pets.runForJson('undo', removal, added.json.changeId)

    expect(json).toMatchObject({ restored: 1, removed: 1 })
    expect(await pets.colleague.list()).toEqual([bella, milo])
  })

  it('"-" reads the records of audit --json', async () => {
    await pets.run('remove', '5', '6')
    const records = await pets.readRecords()
    pets.provideInput(records.map((record) => `{"who":"alice","changeId":"${record.changeId}"}\n`).join(''))

    expect((await pets.runForJson('undo', '-')).json).toMatchObject({ restored: 2 })
  })

  it('a change that was not made does not count', async () => {
    const items = await new PetTable(pets.client, pets.tables.pets).findItems([5n])
    const audit = new ChangeAudit({ database: pets.client, tables: pets.tables }, { who: 'alice', why: undefined })
    // The command of this change was killed before it wrote the pet.
    const killed = audit.draft({
      target: 'pet#5',
      itemKey: { id: 5n },
      action: 'pets set',
      previous: readChangeId(items.get(5n)),
      old: { ...bella, name: 'Never' },
      new: { ...bella, status: 'sold' },
    })
    await audit.record(killed)
    const made = await change('set', '5', '--name', 'Belle')

    await pets.run('undo', killed.changeId, made)

    expect(await pets.colleague.list()).toEqual([bella, milo])
  })

  it('--dry-run changes nothing', async () => {
    const changeId = await change('remove', '5')

    expect((await pets.runForJson('undo', changeId, '--dry-run')).json).toMatchObject({ restored: 1 })
    expect(await pets.colleague.list()).toEqual([milo])
  })

  it('an id that the audit does not have is an error, and nothing is undone', async () => {
    const known = await change('remove', '5')
    const unknown = createChangeId(0)

    const { errors, exitCode } = await pets.run('undo', known, unknown)

    expect(errors).toBe(`The audit has no change of a pet with the id ${unknown}. Nothing is undone.\n`)
    expect(exitCode).toBe(1)
    expect(await pets.colleague.list()).toEqual([milo])
  })
})
