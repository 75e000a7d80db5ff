import { beforeEach, expect, it, vi } from 'vitest'
import { createChangeId, formatPetTarget } from '../../../../../infra/commands/changes/record.ts'
import { createApiCallers } from '../../../../fixtures/commands/callers.ts'
import { openShelter, pickChangeIds, type Row, type Shelter } from '../../../../fixtures/commands/shelter.ts'
import { createWrappedClient } from '../../../../fixtures/database/clients.ts'

/** The file of the first night. */
const file: readonly Row[] = [{ number: 'N1', name: 'One' }, { number: 'N2' }]

let shelter: Shelter

beforeEach(async () => {
  shelter = await openShelter()
  await shelter.accept(file)
})

/** Renames the animal N1. @returns the id of the change, in a list */
const rename = async (name: string) => pickChangeIds(await shelter.set('N1', { name }))

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

  const reason = `undo what came after as well: ${second[0]}`
  expect(json).toMatchObject({ conflict: 1, changes: [{ reason }] })
  expect(exitCode).toBe(3)
  expect(await shelter.list()).toMatchObject({ N1: 'Two sold' })
  expect((await shelter.undo([...first, ...second])).json).toMatchObject({ changed: 1 })
})

it('undo of two changes with a change of somebody else between them is a conflict', async () => {
  const first = await rename('Two')
  await shelter.set('N1', { status: 'sold' })
  const third = await rename('Three')

  expect((await shelter.undo([...first, ...third])).json).toMatchObject({ conflict: 1 })
})

it('undo of an id that the audit does not have is an error, and nothing is undone', async () => {
  const knownIds = await rename('Two')
  const unknownId = createChangeId(formatPetTarget(await shelter.findId('N2')), 0)

  await expect(shelter.undo([...knownIds, unknownId])).rejects.toThrow(
    `The audit has no change of a pet with the id ${unknownId}. Nothing is undone.`,
  )
  expect(await shelter.list()).toMatchObject({ N1: 'Two available' })
})

it('undo of a change is a conflict if the pets table was restored to a time before it', async () => {
  const restoreTable = await shelter.backUp('pets')
  const change = await rename('Two')
  await restoreTable()

  expect((await shelter.undo(change)).json).toMatchObject({ conflict: 1 })
})

it('undo leaves a pet that a caller added as it was before the change by hand', async () => {
  const callers = createApiCallers(shelter.client, shelter.tables.pets)
  await callers.addPet({ id: 5n, name: 'Bella', categoryId: 1n, status: 'available' })
  const changes = pickChangeIds(await shelter.remove(5n))

  await shelter.undo(changes)

  expect(await callers.listPets()).toContainEqual({ id: 5n, name: 'Bella', categoryId: 1n, status: 'available' })
})

const wrongFile: readonly Row[] = [{ number: 'N1', name: 'Wrong', status: 'pending' }, { number: 'N3' }]

it('after a whole night is undone, the right file makes the list what it would be without that night', async () => {
  const night = await shelter.accept(wrongFile)

  await shelter.undo(pickChangeIds(night))
  expect(await shelter.list()).toEqual({ N1: 'One available', N2: 'N2 available' })
  const { json } = await shelter.accept([...file, { number: 'N3' }])

  expect(json).toMatchObject({ returned: 1, changed: 0, gone: 0, differing: 0 })
  expect(await shelter.list()).toEqual({ N1: 'One available', N2: 'N2 available', N3: 'N3 available' })
})

it('a pet that somebody changes during the undo stays as that left it', async () => {
  const first = await rename('Two')
  const client = createWrappedClient(shelter.engine, async (operation, send) => {
    // The records are read before the pet.
    if (operation === 'BatchGetItem') await shelter.set('N1', { status: 'sold' })
    return send()
  })

  const { json } = await shelter.undo(first, { client })

  expect(json).toMatchObject({ conflict: 1 })
  expect(await shelter.list()).toMatchObject({ N1: 'Two sold' })
})
