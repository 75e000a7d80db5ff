import { beforeEach, describe, expect, it } from 'vitest'
import { createSeedTool } from '../../../../../infra/commands/seed/seed-tool.ts'
import { createSeededPet, maximumSeededPets } from '../../../../../infra/commands/seed/seeded-pet.ts'
import { drawPetId } from '../../../../../shared/pets/pet-id.ts'
import { type Colleague, createColleague } from '../../../../fixtures/commands/colleague.ts'
import { registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands/commands.ts'
import { createClients } from '../../../../fixtures/database/clients.ts'

describe('npm run seed', () => {
  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
  let colleague: Colleague

  beforeEach(async () => {
    environment = await registerLocalEnvironment()
    colleague = createColleague(createClients(environment.engine).client, environment.tables.pets)
  })

  const startSeed = (...words: readonly string[]) =>
    runToolInProcess(createSeedTool(), [...environment.options, ...words])

  /** Runs a command that succeeds. @returns its output */
  const runSeed = async (...words: readonly string[]): Promise<string> => {
    const { exitCode, output, errors } = await startSeed(...words)
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
    return output
  }

  /** The ids of all pets, the oldest first. */
  const listIds = async (): Promise<readonly bigint[]> => {
    const pets = await colleague.list()
    return pets.map(({ id }) => id)
  }

  /** Stores a pet under an id, as an import does. */
  const importPet = (id: bigint): Promise<void> => colleague.store({ ...createSeededPet(0), id })

  /** The ids of the first made-up pets. */
  const listSeededIds = (count: number): readonly bigint[] =>
    Array.from({ length: count }, (_, index) => createSeededPet(index).id)

  it('npm run seed writes the same pets again, and the pets that are missing', async () => {
    expect(await runSeed('--count', '6')).toBe('6 made-up pets written.\n')
    expect(await runSeed('--count', '4')).toBe('4 made-up pets written.\n')
    expect(await listIds()).toEqual(listSeededIds(6))

    expect(await runSeed('--count', '8')).toBe('8 made-up pets written.\n')
    expect(await listIds()).toEqual(listSeededIds(8))
  })

  it('npm run seed neither overwrites nor removes an imported pet that has the id of a made-up one', async () => {
    const importedId = createSeededPet(1).id
    await importPet(importedId)
    await importPet(5n)

    expect(await runSeed('--count', '6')).toBe('5 made-up pets written.\n')
    expect(await listIds()).toEqual([5n, ...listSeededIds(6)])

    expect(await runSeed('--remove')).toBe('5 made-up pets removed.\n')
    expect(await listIds()).toEqual([5n, importedId])
  })

  it('npm run seed refuses production', async () => {
    const { exitCode, errors } = await runToolInProcess(createSeedTool(), ['--env', 'production', '--count', '5'])

    expect({ exitCode, errors }).toEqual({
      exitCode: 2,
      errors: 'Production gets no made-up pets: name local or staging.\n',
    })
  })
})

describe('a made-up pet', () => {
  it('a made-up pet is the same in every release', () => {
    expect(createSeededPet(0)).toEqual({
      id: 4228n,
      name: 'Duke Fluff',
      categoryId: 1n,
      status: 'available',
    })
    expect(createSeededPet(299)).toEqual({
      id: 1231152n,
      name: 'Mango Fluff',
      categoryId: 5n,
      status: 'pending',
    })
  })

  it('a made-up pet has a higher id than the one before, and a lower id than pets of the service', () => {
    const first = createSeededPet(0).id
    const second = createSeededPet(1).id
    const third = createSeededPet(2).id
    const last = createSeededPet(maximumSeededPets - 1).id
    const later = drawPetId(Date.UTC(2025, 0, 1, 3))

    expect(first).toBeLessThan(second)
    expect(second).toBeLessThan(third)
    expect(third).toBeLessThan(last)
    expect(last).toBeLessThan(later)
  })
})
