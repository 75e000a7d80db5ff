import { Readable } from 'node:stream'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createPetsTool } from '../../../../../infra/operations/pets/pets-tool.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { createClients } from '../../../../fixtures/clients.ts'
import { createColleague } from '../../../../fixtures/colleague.ts'
import { registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'
import { editItem } from '../../../../fixtures/edit-item.ts'
import { startNode } from '../../../../fixtures/node-process.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 2n, status: 'pending' }
const annabel: Pet = { id: 7n, name: 'ANNABEL', categoryId: 2n, status: 'available' }

describe('npm run pets -- list', () => {
  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>

  const run = (...words: readonly string[]) => runToolInProcess(createPetsTool(), [...words, ...environment.options])

  beforeEach(async () => {
    environment = await registerLocalEnvironment()
    const { client } = createClients(environment.engine)
    const store = new PetStore(client, environment.tables.pets)
    await store.put(bella, 'an attempt')
    await store.put(milo, 'an attempt', { addedBy: 'key_one' as KeyId })
    await store.put(annabel, 'an attempt', { addedBy: 'key_two' as KeyId })
  })

  it('list prints pets with the newest first', async () => {
    const { output, errors, exitCode } = await run('list')

    expect(output.split('\n')).toEqual([
      '7                 available  2     key_two                 ANNABEL',
      '6                 pending    2     key_one                 Milo',
      '5                 available  1     -                       Bella',
      '',
    ])
    expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 0 })
  })

  it('list --json prints a JSON object on each line', async () => {
    const { output } = await run('list', '--status', 'pending', '--json')

    expect(output).toBe('{"id":6,"name":"Milo","categoryId":2,"status":"pending","addedBy":"key_one"}\n')
  })

  it.each([
    { filter: ['--name', 'bel'], ids: [7, 5] },
    { filter: ['--category', '2'], ids: [7, 6] },
    { filter: ['--status', 'available'], ids: [7, 5] },
    { filter: ['--added-by', 'key_one'], ids: [6] },
    { filter: ['--status', 'available', '--category', '2'], ids: [7] },
  ])('list $filter prints only pets that match', async ({ filter, ids }) => {
    const { output } = await run('list', ...filter, '--json')

    const lines = output.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids)
  })

  it('list says that no pet matches, and prints nothing', async () => {
    expect(await run('list', '--name', 'Max')).toEqual({ output: '', errors: 'No pet matches.\n', exitCode: 0 })
  })

  it('list does not take an API key for its id', async () => {
    const { errors, exitCode } = await run('list', '--added-by', 'pet_test_0')

    expect(errors).toContain('It must be the id of an API key, which "npm run keys -- show" prints.')
    expect(exitCode).not.toBe(0)
  })

  it('list names a pet that cannot be read, and prints the others', async () => {
    const { client } = createClients(environment.engine)
    await editItem(client, environment.tables.pets, { id: 6 }, { categoryId: 'cats' })

    const { output, errors, exitCode } = await run('list', '--json')

    expect(output.trimEnd().split('\n')).toHaveLength(2)
    expect(errors).toContain('The pet 6 cannot be read: its item has no valid categoryId.\n')
    expect(exitCode).toBe(1)
  })

  it('remove takes the output of list', async () => {
    const { output } = await run('list', '--category', '2')
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([output]) as typeof process.stdin)

    await run('remove', '-')

    const { client } = createClients(environment.engine)
    expect(await createColleague(client, environment.tables.pets).list()).toEqual([bella])
  })

  it('list ends without an error when nothing reads its output any more', async () => {
    const { child, ended, errors } = startNode(['infra/operations/pets/pets.ts', 'list', ...environment.options])
    child.stdout.destroy()

    expect(await ended).toBe(0)
    expect(errors()).toBe('')
  })
})
