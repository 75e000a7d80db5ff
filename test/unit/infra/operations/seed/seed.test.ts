import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { auditFile } from '../../../../../infra/operations/environment/audit.ts'
import { createSeededPet, maximumSeededPets } from '../../../../../infra/operations/seed/seeded-pet.ts'
import { petStatuses } from '../../../../../shared/pets/pet.ts'
import { drawPetId } from '../../../../../shared/pets/pet-id.ts'
import { createClients } from '../../../../fixtures/clients.ts'
import { createColleague } from '../../../../fixtures/colleague.ts'
import { registerLocalEnvironment } from '../../../../fixtures/commands.ts'
import { startNode } from '../../../../fixtures/node-process.ts'

const start = async () => {
  const { dataFolder: data, tables, engine, options: words } = await registerLocalEnvironment()
  const colleague = createColleague(createClients(engine).client, tables.pets)
  const run = (...line: readonly string[]) => startNode(['infra/operations/seed/seed.ts', ...words, ...line])
  return {
    run,
    /** What a run prints that succeeds. */
    seed: async (...line: readonly string[]) => {
      const { ended, output, errors } = run(...line)
      expect([await ended, errors()]).toEqual([0, ''])
      return output()
    },
    ids: async () => (await colleague.list()).map(({ id }) => id),
    /** As an import does. */
    add: (id: bigint) => colleague.store({ ...createSeededPet(0), id }),
    audit: () => JSON.parse(`[${readFileSync(auditFile(data), 'utf8').trimEnd().replaceAll('\n', ',')}]`),
  }
}

it('writes the first pets, and the same ones again, but over none that an import has put there, nor removes it', async () => {
  const { seed, ids, add, audit } = await start()
  const imported = createSeededPet(1).id
  for (const id of [imported, 5n]) await add(id)
  for (const count of [60, 40, 80]) {
    expect(await seed('--count', `${count}`)).toBe(`${count - 1} made-up pets written.\n`)
  }
  expect(await ids()).toEqual([5n, ...Array.from({ length: 80 }, (_, index) => createSeededPet(index).id)])
  expect(audit()).toMatchObject([60, 40, 80].map((count) => ({ action: `seed --count ${count}` })))
  expect(await seed('--remove')).toBe('79 made-up pets removed.\n')
  expect(await ids()).toEqual([5n, imported])
})

it('ends at Ctrl-C with 130, says how many were written, and removes them and no other pet', async () => {
  const { run, seed, ids, add, audit } = await start()
  const id = drawPetId(Date.UTC(2025, 0, 1, 3), () => 0)
  await add(id)
  const { child, ended, errors } = run('--count', '10000000')
  await expect.poll(async () => (await ids()).length).toBeGreaterThan(1)
  // As npm and the terminal do, both at once.
  for (const _ of [1, 2]) child.kill('SIGINT')
  expect(await ended).toBe(130)
  const written = ((await ids()).length - 1).toLocaleString('en-US')
  const sentence = `Interrupted. ${written} made-up pets written until then. Run the same command again.`
  expect([errors(), audit()]).toMatchObject([`${sentence}\n`, [{}, { failed: sentence }]])
  expect(await seed('--remove')).toBe(`${written} made-up pets removed.\n`)
  expect(await ids()).toEqual([id])
})

it('a seeded pet is the same at every call, of any kind, with an id below those of all pets created since', () => {
  const pets = Array.from({ length: 300 }, (_, index) => createSeededPet(index))
  expect(pets).toEqual(pets.map((_, index) => createSeededPet(index)))
  const kinds = new Set(pets.map(({ status, categoryId }) => `${status} ${categoryId}`))
  expect(kinds.size).toBe(petStatuses.length * 5)
  const rising = [
    ...[0, 1, 2, maximumSeededPets - 1].map((index) => createSeededPet(index).id),
    drawPetId(Date.UTC(2025, 0, 1, 3)),
  ]
  expect(rising.toSorted((one, other) => Number(one - other))).toEqual(rising)
})
