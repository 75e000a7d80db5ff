import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedPets } from '../../../../../infra/operations/seed/seed-pets.ts'
import { seededPetId } from '../../../../../infra/operations/seed/seeded-pet.ts'
import { type MemoryTable, memoryTable } from './memory-table.ts'

const idsBelow = (count: number): string[] => Array.from({ length: count }, (_, index) => String(seededPetId(index)))

const idsIn = ({ puts }: MemoryTable): string[] =>
  [...puts.keys()].toSorted((one, other) => Number(one) - Number(other))

const pause = async (): Promise<void> => {}

/** Seeds until the table dies after so many batches, each of which may have been taken in part. */
const seedAndDie = async (table: MemoryTable, count: number, batches: number, random: () => number): Promise<void> => {
  let left = batches
  table.behaviour = {
    delay: () => sleep(Math.floor(random() * 3)),
    takes: (puts) => (left > 0 ? puts : Math.floor(random() * (puts + 1))),
    failsWith: () => {
      left -= 1
      return left < 0 ? new Error('killed') : undefined
    },
  }
  await seedPets({ client: table.client, table: 'pets', count, pause }).catch(() => {})
}

describe('an interrupted seeding', () => {
  it('is completed by the next one, however often and wherever it ends, and never writes what is there', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_200 }),
        fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 5 }),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        async (count, deaths, stream) => {
          const table = memoryTable()
          for (const batches of deaths) await seedAndDie(table, count, batches, () => stream.next().value ?? 0)
          table.behaviour = {}
          const before = table.puts.size
          const result = await seedPets({ client: table.client, table: 'pets', count, pause })
          expect(result).toMatchObject({ found: before, written: count - before, isComplete: true })
          expect(idsIn(table)).toEqual(idsBelow(count))
          expect([...table.puts.values()].every((puts) => puts === 1)).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('ends with the batches under way, and says that it is not complete', async () => {
    const table = memoryTable()
    const interruption = new AbortController()
    const advance = () => interruption.abort()
    const progress = { begin: () => {}, advance }
    const { signal } = interruption
    const result = await seedPets({ client: table.client, table: 'pets', count: 5_000, signal, progress })
    expect(result).toMatchObject({ found: 0, written: table.puts.size, isComplete: false })
    expect(table.puts.size).toBeLessThanOrEqual(200)
  })

  it('does not wait for what DynamoDB does not take', async () => {
    const table = memoryTable()
    table.behaviour = { takes: () => 0 }
    const result = seedPets({ client: table.client, table: 'pets', count: 100, signal: AbortSignal.timeout(50) })
    expect(await result).toMatchObject({ found: 0, written: 0, isComplete: false })
  })

  it('is found among ten million pets with few reads', async () => {
    const table = memoryTable()
    const count = 10_000_000
    for (const id of idsBelow(3_000)) table.puts.set(id, 1)
    const result = await seedPets({ client: table.client, table: 'pets', count, signal: AbortSignal.abort() })
    expect(result).toMatchObject({ found: 3_000 })
    expect(table.reads).toBeLessThan(24 + 400 + 25)
  })
})
