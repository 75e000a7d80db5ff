import { readFileSync } from 'node:fs'
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { maximumPets, seededPet, seededPetId } from '../../../../../infra/operations/seed/seeded-pet.ts'
import { auditFile } from '../../../../../infra/operations/target/audit.ts'
import { petStatuses } from '../../../../../shared/pets/pet.ts'
import { newPetId } from '../../../../../shared/pets/pet-id.ts'
import { clientOf } from '../../../../fixtures/engines.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { runningHere } from '../running-here.ts'

const start = async () => {
  const { data, tables, engine, words } = await runningHere()
  const { client } = clientOf(engine)
  const ids = async () => {
    const pages = await Array.fromAsync(paginateScan({ client }, { TableName: tables.pets, ConsistentRead: true }))
    const found = pages.flatMap(({ Items = [] }) => Items.map(({ id }) => BigInt(id)))
    return found.toSorted((one, other) => Number(one - other))
  }
  return {
    ids,
    seed: (...line: readonly string[]) => startNode(['infra/operations/seed/seed.ts', ...words, ...line]),
    add: (pet: object) => client.send(new PutCommand({ TableName: tables.pets, Item: { ...pet } })),
    audit: () =>
      readFileSync(auditFile(data), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  }
}

it('writes the first pets, and the same ones again, whatever is there', async () => {
  const { seed, ids, audit } = await start()
  for (const count of [60, 40, 80]) {
    const { ended, output } = seed('--count', `${count}`, '--json')
    expect(await ended).toBe(0)
    expect(JSON.parse(output())).toEqual({ environment: 'local', written: count })
  }
  expect(await ids()).toEqual(Array.from({ length: 80 }, (_, index) => seededPet(index).id))
  expect(audit()).toMatchObject([60, 40, 80].map((count) => ({ action: `seed --count ${count}` })))
})

it('neither writes over a pet that an import has put under such an id, nor removes it', async () => {
  const { seed, ids, add } = await start()
  const id = seededPetId(1)
  for (const own of [id, 5n]) await add({ ...seededPet(0), id: own, attemptId: 'v0123456789ab' })
  const written = seed('--count', '3')
  await written.ended
  expect(written.output()).toBe('2 made-up pets written.\n')
  const removal = seed('--remove')
  await removal.ended
  expect(removal.output()).toBe('2 made-up pets removed.\n')
  expect(await ids()).toEqual([5n, id])
})

it('ends at Ctrl-C with 130, says how many were written, and removes them and no other pet', async () => {
  const { seed, ids, add, audit } = await start()
  const id = newPetId(Date.UTC(2025, 0, 1, 3), () => 0)
  await add({ ...seededPet(0), id })
  const { child, ended, errors } = seed('--count', '10000000')
  await expect.poll(async () => (await ids()).length).toBeGreaterThan(1)
  // As npm and the terminal do, both at once.
  for (const _ of [1, 2]) child.kill('SIGINT')
  expect(await ended).toBe(130)
  const written = ((await ids()).length - 1).toLocaleString('en-US')
  const sentence = `Interrupted. ${written} made-up pets written until then. Run the same command again.`
  expect(errors()).toBe(`${sentence}\n`)
  expect(audit()).toMatchObject([{}, { refused: sentence }])
  const removal = seed('--remove')
  await removal.ended
  expect(removal.output()).toBe(`${written} made-up pets removed.\n`)
  expect(await ids()).toEqual([id])
})

it('a seeded pet is the same at every call, and all kinds of pets are among a few hundred', () => {
  const pets = Array.from({ length: 300 }, (_, index) => seededPet(index))
  expect(pets).toEqual(pets.map((_, index) => seededPet(index)))
  expect(new Set(pets.map(({ status }) => status))).toEqual(new Set(petStatuses))
  expect(new Set(pets.map(({ categoryId }) => categoryId)).size).toBe(5)
  expect(new Set(pets.map(({ name }) => name)).size).toBeGreaterThan(150)
})

it('the ids of seeded pets rise from above zero, and are below those of all pets created since', () => {
  const ids = [0, 1, 2, maximumPets - 2, maximumPets - 1].map(seededPetId)
  const others = [newPetId(Date.UTC(2025, 0, 1, 3), () => 0)]
  expect([0n, ...ids, ...others].toSorted((one, other) => Number(one - other))).toEqual([0n, ...ids, ...others])
})
