import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createChangeId, formatPetTarget } from '../../../../../infra/commands/changes/record.ts'
import { createColleague } from '../../../../fixtures/commands/colleague.ts'
import { openShelter, pickChangeIds, type Row, type Shelter } from '../../../../fixtures/commands/shelter.ts'

/** The file of the first night. */
const file: readonly Row[] = [{ number: 'N1', name: 'One' }, { number: 'N2' }]

let shelter: Shelter

beforeEach(async () => {
  shelter = await openShelter()
  await shelter.sync(file)
})

const rename = async (name: string) => pickChangeIds(await shelter.set('N1', { name }))

describe('pets undo of changes by hand', () => {
  it('undo takes several changes in a row back together, and again without effect', async () => {
    const first = await rename('Two')
    const second = pickChangeIds(await shelter.set('N1', { status: 'sold' }))

    const { json } = await shelter.undo([...second, ...first])

    expect(json).toMatchObject({ changed: 1 })
    expect(await shelter.list()).toMatchObject({ N1: 'One available' })
    expect((await shelter.undo([...first, ...second])).json).toMatchObject({ unchanged: 1, changed: 0 })
  })

  it('undo takes changes back in the order in which they were made, whatever the clocks of operators say', async () => {
    vi.setSystemTime(Date.now() + 5_000)
    const first = await rename('Two')
    vi.useRealTimers()
    const second = await rename('Three')

    await shelter.undo([...first, ...second])

    expect(await shelter.list()).toMatchObject({ N1: 'One available' })
  })

  it('undo of a pet that somebody has changed since is a conflict', async () => {
    const first = await rename('Two')
    const second = pickChangeIds(await shelter.set('N1', { status: 'sold' }))

    const { json, exitCode } = await shelter.undo(first)

    const reason = `change ${second[0]} came after`
    expect(json).toMatchObject({ conflict: 1, changes: [{ reason, yours: { name: 'One', status: 'available' } }] })
    expect(exitCode).toBe(3)
    expect(await shelter.list()).toMatchObject({ N1: 'Two sold' })
  })

  it('undo of two changes with a change of somebody else between them is a conflict', async () => {
    const first = await rename('Two')
    await shelter.set('N1', { status: 'sold' })
    const third = await rename('Three')

    expect((await shelter.undo([...first, ...third])).json).toMatchObject({ conflict: 1 })
  })

  it('the removal of a pet is undone at once by the id that it printed', async () => {
    const removal = pickChangeIds(await shelter.remove('N1'))

    expect((await shelter.undo(removal)).json).toMatchObject({ returned: 1 })
    expect(await shelter.list()).toMatchObject({ N1: 'One available' })
  })

  it('an undo can be undone', async () => {
    const first = await rename('Two')
    const undo = pickChangeIds(await shelter.undo(first))

    await shelter.undo(undo)

    expect(await shelter.list()).toMatchObject({ N1: 'Two available' })
    expect((await shelter.undo(first)).json).toMatchObject({ conflict: 1 })
    expect(await shelter.findContradictions()).toEqual([])
  })

  it('undo of an id that the audit does not have is an error, and nothing is undone', async () => {
    const known = await rename('Two')
    const unknown = createChangeId(formatPetTarget(await shelter.findId('N2')), 0)

    await expect(shelter.undo([...known, unknown])).rejects.toThrow(
      `The audit has no change of a pet with the id ${unknown}. Nothing is undone.`,
    )
    expect(await shelter.list()).toMatchObject({ N1: 'Two available' })
  })

  it('undo of a change that a restored table does not have any more is a conflict', async () => {
    const restoreTable = await shelter.backUp('pets')
    const change = await rename('Two')
    await restoreTable()

    expect((await shelter.undo(change)).json).toMatchObject({ conflict: 1 })
  })

  it('undo leaves a pet that a caller added as it was before the change by hand', async () => {
    const colleague = createColleague(shelter.client, shelter.tables.pets)
    await colleague.store({ id: 5n, name: 'Bella', categoryId: 1n, status: 'available' })
    const changes = pickChangeIds(await shelter.remove(5n))

    await shelter.undo(changes)

    expect(await colleague.list()).toContainEqual({ id: 5n, name: 'Bella', categoryId: 1n, status: 'available' })
  })
})

describe('pets undo and nights', () => {
  it('undo ignores later nights that have left the pet as it was', async () => {
    const sold = pickChangeIds(await shelter.set('N1', { name: 'Two', status: 'sold' }))
    // The file says now what the operator has said before.
    await shelter.sync([{ number: 'N1', name: 'Two' }, { number: 'N2' }])

    const { json } = await shelter.undo(sold)

    expect(json).toMatchObject({ changed: 1 })
    expect(await shelter.list(), 'the name is that of the file').toMatchObject({ N1: 'Two available' })
  })

  it('undo of a removal keeps what the file has said since', async () => {
    const removal = pickChangeIds(await shelter.remove('N1'))
    await shelter.sync([{ number: 'N1', name: 'New', status: 'pending' }, { number: 'N2' }])

    await shelter.undo(removal)

    expect(await shelter.list()).toMatchObject({ N1: 'New pending' })
  })

  it('what the file has said between two undone changes stays in force', async () => {
    const renaming = await rename('Uno')
    await shelter.sync([{ number: 'N1', name: 'Uno' }, { number: 'N2' }])
    const sale = await shelter.set('N1', { status: 'sold' })

    await shelter.undo([...renaming, ...pickChangeIds(sale)])

    expect(await shelter.list()).toMatchObject({ N1: 'Uno available' })
    expect((await shelter.findPet('N1')).item).not.toHaveProperty('file')
  })

  it('a removal that is undone after the file has hidden the animal leaves it off the list', async () => {
    const removal = pickChangeIds(await shelter.remove('N1'))
    await shelter.sync([{ number: 'N1', name: 'One', status: 'hidden' }, { number: 'N2' }])

    await shelter.undo(removal)

    expect((await shelter.findPet('N1')).state).toMatchObject({ kind: 'removed', removed: 'by source' })
  })

  it('an addition by a night that is undone stays removed, and is named each night', async () => {
    const night = await shelter.sync([...file, { number: 'N3' }])
    await shelter.undo(pickChangeIds(night))

    const { json } = await shelter.sync([...file, { number: 'N3' }])

    expect(json).toMatchObject({ changes: [], differingPets: [{ number: 'N3', old: { removed: 'by hand' } }] })
  })

  it('an addition that is undone together with a later change by hand has the name that it was added with', async () => {
    const night = await shelter.sync([...file, { number: 'N3' }])
    const renamed = await shelter.set('N3', { name: 'Belle' })

    await shelter.undo([...pickChangeIds(night), ...pickChangeIds(renamed)])

    expect((await shelter.findPet('N3')).state).toMatchObject({ kind: 'removed', name: 'N3' })
  })

  it('a whole night is undone, and the next night with the same file does not make it again', async () => {
    const wrongFile: readonly Row[] = [{ number: 'N1', name: 'Wrong', status: 'pending' }]
    const night = await shelter.sync(wrongFile)

    await shelter.undo(pickChangeIds(night))
    expect(await shelter.list()).toEqual({ N1: 'One available', N2: 'N2 available' })
    await shelter.sync(wrongFile)

    expect(await shelter.list()).toEqual({ N1: 'One available', N2: 'N2 available' })
  })
})
