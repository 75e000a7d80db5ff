import { beforeEach, describe, expect, it } from 'vitest'
import { createSeedTool } from '../../../../../infra/operations/seed/seed-tool.ts'
import { createSeededPet, maximumSeededPets } from '../../../../../infra/operations/seed/seeded-pet.ts'
import { petStatuses } from '../../../../../shared/pets/pet.ts'
import { drawPetId } from '../../../../../shared/pets/pet-id.ts'
import { createClients } from '../../../../fixtures/clients.ts'
import { type Colleague, createColleague } from '../../../../fixtures/colleague.ts'
import {
  interruptCommand,
  readAudit,
  registerLocalEnvironment,
  runToolInProcess,
} from '../../../../fixtures/commands.ts'

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
    expect(exitCode).toBe(0)
    // A command that takes more than five seconds reports its progress.
    expect(errors).toMatch(/^([\d,]+ of [\d,]+ pets.*\n)*$/)
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
    expect(await runSeed('--count', '60')).toBe('60 made-up pets written.\n')
    expect(await runSeed('--count', '40')).toBe('40 made-up pets written.\n')
    expect(await listIds()).toEqual(listSeededIds(60))

    expect(await runSeed('--count', '80')).toBe('80 made-up pets written.\n')
    expect(await listIds()).toEqual(listSeededIds(80))

    expect(readAudit(environment.dataFolder)).toMatchObject([
      { action: 'seed --count 60', outcome: 'begun' },
      { action: 'seed --count 60', outcome: 'done' },
      { action: 'seed --count 40', outcome: 'begun' },
      { action: 'seed --count 40', outcome: 'done' },
      { action: 'seed --count 80', outcome: 'begun' },
      { action: 'seed --count 80', outcome: 'done' },
    ])
  })

  it('npm run seed neither overwrites nor removes an imported pet that has the id of a made-up one', async () => {
    const importedId = createSeededPet(1).id
    await importPet(importedId)
    await importPet(5n)

    expect(await runSeed('--count', '60')).toBe('59 made-up pets written.\n')
    expect(await listIds()).toEqual([5n, ...listSeededIds(60)])

    expect(await runSeed('--remove')).toBe('59 made-up pets removed.\n')
    expect(await listIds()).toEqual([5n, importedId])
  })

  describe('after Ctrl-C', () => {
    /** An id after those of all made-up pets. */
    const otherId = drawPetId(Date.UTC(2025, 0, 1, 3), () => 0)

    let interrupted: Awaited<ReturnType<typeof startSeed>>
    let writtenCount: string

    beforeEach(async () => {
      await importPet(otherId)
      const seed = startSeed('--count', '100000')
      await expect.poll(async () => (await listIds()).length).toBeGreaterThan(1)
      interruptCommand()
      interrupted = await seed
      const seededCount = (await listIds()).length - 1
      writtenCount = seededCount.toLocaleString('en-US')
    })

    it('npm run seed that is interrupted exits with 130, and says how many pets were written', () => {
      const message = `Interrupted. Known to be written: ${writtenCount} made-up pets. Run the same command again.`
      expect(interrupted.exitCode).toBe(130)
      expect(interrupted.errors.trimEnd().split('\n').at(-1)).toBe(message)
      expect(readAudit(environment.dataFolder)).toMatchObject([
        { action: 'seed --count 100000', outcome: 'begun' },
        { action: 'seed --count 100000', outcome: 'unknown', reason: message },
      ])
    })

    it('npm run seed that is interrupted leaves only pets that --remove removes', async () => {
      expect(await runSeed('--remove')).toBe(`${writtenCount} made-up pets removed.\n`)
      // The command has left the pet that it did not write.
      expect(await listIds()).toEqual([otherId])
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

  it('made-up pets have each status in each of five categories', () => {
    const kinds = new Set<string>()
    for (let index = 0; index < 300; index += 1) {
      const { status, categoryId } = createSeededPet(index)
      kinds.add(`${status} ${categoryId}`)
    }

    expect(kinds.size).toBe(petStatuses.length * 5)
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
