import { beforeAll, describe, expect, it } from 'vitest'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { PetTable } from '../../../../../shared/pets/pet-table.ts'
import { openPetCommands, type PetCommands } from '../../../../fixtures/commands/pet-commands.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 2n, status: 'pending' }
const annabel: Pet = { id: 7n, name: 'ANNABEL', categoryId: 2n, status: 'available' }

describe('npm run pets -- list', () => {
  let pets: PetCommands

  beforeAll(async () => {
    pets = await openPetCommands()
    const store = new PetTable(pets.client, pets.tables.pets)
    await store.put(bella, 'an attempt')
    await store.put(milo, 'an attempt', { addedBy: 'key_one' as KeyId })
    await store.put(annabel, 'an attempt', { addedBy: 'key_two' as KeyId })
  })

  it('list prints pets with the newest first', async () => {
    const { output, errors, exitCode } = await pets.run('list')

    expect(output.split('\n')).toEqual([
      '7                 available  2     key_two                 ANNABEL',
      '6                 pending    2     key_one                 Milo',
      '5                 available  1     -                       Bella',
      '',
    ])
    expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 0 })
  })

  it('list --json prints a JSON object on each line', async () => {
    const { output } = await pets.run('list', '--status', 'pending', '--json')

    expect(output).toBe('{"id":6,"name":"Milo","categoryId":2,"status":"pending","addedBy":"key_one"}\n')
  })

  it('list prints only pets that match', async () => {
    const filters = [
      { words: ['--name', 'bel'], ids: [7, 5] },
      { words: ['--category', '2'], ids: [7, 6] },
      { words: ['--status', 'available'], ids: [7, 5] },
      { words: ['--added-by', 'key_one'], ids: [6] },
      { words: ['--status', 'available', '--category', '2'], ids: [7] },
    ]
    for (const { words, ids } of filters) {
      const { output } = await pets.run('list', ...words, '--json')

      const lines = output.trimEnd().split('\n')
      expect(
        lines.map((line) => JSON.parse(line).id),
        words.join(' '),
      ).toEqual(ids)
    }
  })

  it('list says that no pet matches, and prints nothing', async () => {
    expect(await pets.run('list', '--name', 'Max')).toEqual({ output: '', errors: 'No pet matches.\n', exitCode: 0 })
  })

  it('list does not take an API key for its id', async () => {
    const { errors, exitCode } = await pets.run('list', '--added-by', 'pet_test_0')

    expect(errors).toContain('It must be the id of an API key, which "npm run keys -- show" prints.')
    expect(exitCode).not.toBe(0)
  })
})
