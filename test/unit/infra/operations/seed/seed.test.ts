import { readFileSync } from 'node:fs'
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { seededPet } from '../../../../../infra/operations/seed/seeded-pet.ts'
import { auditFile } from '../../../../../infra/operations/target/audit.ts'
import { newPetId } from '../../../../../shared/pets/pet-id.ts'
import { clientOf } from '../../../../fixtures/engines.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { runningHere } from '../running-here.ts'

const start = async () => {
  const { data, tables, engine, words } = await runningHere()
  const { client } = clientOf(engine)
  return {
    seed: (...line: readonly string[]) => startNode(['infra/operations/seed/seed.ts', ...words, ...line]),
    ids: async () => {
      const pages = await Array.fromAsync(paginateScan({ client }, { TableName: tables.pets, ConsistentRead: true }))
      return pages
        .flatMap(({ Items = [] }) => Items.map(({ id }) => BigInt(id)))
        .toSorted((one, other) => Number(one - other))
    },
    add: async () => {
      const id = newPetId(Date.UTC(2025, 0, 2), () => 0)
      const pet = { id, name: 'Bella', categoryId: 1n, status: 'available' }
      await client.send(new PutCommand({ TableName: tables.pets, Item: pet }))
      return id
    },
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

it('ends at Ctrl-C with 130, and says how many were written and removed', async () => {
  const { seed, ids, audit } = await start()
  const { child, ended, errors } = seed('--count', '10000000')
  await expect.poll(ids).not.toEqual([])
  // As npm and the terminal do, both at once.
  for (const _ of [1, 2]) child.kill('SIGINT')
  expect(await ended).toBe(130)
  const written = (await ids()).length
  const sentence = `Interrupted: ${written.toLocaleString('en-US')} made-up pets were written until then.`
  expect(errors()).toBe(`${sentence} Run the same command again.\n`)
  expect(audit()).toMatchObject([{}, { refused: expect.stringContaining(sentence) }])
  const removal = seed('--remove')
  await removal.ended
  expect(removal.output()).toContain(`has no made-up pets: ${written.toLocaleString('en-US')} were removed.`)
  expect(await ids()).toEqual([])
})

it('removes no other pet', async () => {
  const { seed, ids, add } = await start()
  const real = await add()
  await seed('--count', '30').ended
  await seed('--remove').ended
  expect(await ids()).toEqual([real])
})
