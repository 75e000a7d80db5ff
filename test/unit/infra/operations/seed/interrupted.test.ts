import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { type SeedingOptions, seedPets } from '../../../../../infra/operations/seed/seed-pets.ts'
import { seededPetId } from '../../../../../infra/operations/seed/seeded-pet.ts'
import { connect } from '../../../../../infra/operations/target/local-database.ts'
import { sized } from '../../../../fixtures/size.ts'

/** What DynamoDB does with a batch of so many puts: how many it takes, all by default, and how it fails after that. */
type Answer = (puts: number) => { readonly taken?: number; readonly failure?: Error | undefined }

interface Id {
  readonly id: bigint
}

/** A table in memory, because an engine takes every batch. */
class MemoryTable {
  readonly client: DynamoDBDocumentClient
  /** The ids that are there, with how often each was put. */
  readonly puts = new Map<string, number>()
  answer: Answer = () => ({})
  delay: () => Promise<void> = async () => {}
  reads = 0

  constructor() {
    const plain = connect('http://127.0.0.1:1')
    this.client = DynamoDBDocumentClient.from(plain)
    plain.middlewareStack.add(
      (_next, context) => async (given) => {
        // What the seeding sends, as it gives it to the document client.
        const input = given.input as unknown as {
          Key: Id
          RequestItems: Record<string, { PutRequest: { Item: Id } }[]>
        }
        const isRead = context['commandName'] === 'GetItemCommand'
        const output = isRead ? this.#read(input.Key) : await this.#write(input.RequestItems)
        return { response: undefined, output: { $metadata: {}, ...output } }
      },
      { step: 'initialize', priority: 'low', name: 'memory' },
    )
  }

  #read(key: Id): object {
    this.reads += 1
    return this.puts.has(String(key.id)) ? { Item: key } : {}
  }

  async #write(items: Readonly<Record<string, { PutRequest: { Item: Id } }[]>>): Promise<object> {
    await this.delay()
    const [[name, batch] = ['', []]] = Object.entries(items)
    const { taken = batch.length, failure } = this.answer(batch.length)
    for (const { PutRequest } of batch.slice(0, taken)) {
      const id = String(PutRequest.Item.id)
      this.puts.set(id, (this.puts.get(id) ?? 0) + 1)
    }
    if (failure !== undefined) throw failure
    return taken === batch.length ? {} : { UnprocessedItems: { [name]: batch.slice(taken) } }
  }
}

const idsBelow = (count: number): string[] => Array.from({ length: count }, (_, index) => String(seededPetId(index)))

let table: MemoryTable
let pauses: number[]
beforeEach(() => {
  table = new MemoryTable()
  pauses = []
})

/** Its pauses take no time. */
const seed = (count: number, options: Partial<SeedingOptions> = {}) => {
  const pause = async (milliseconds: number): Promise<void> => void pauses.push(milliseconds)
  return seedPets({ client: table.client, table: 'pets', count, pause, ...options })
}

/** Seeds until the table dies after so many batches, each of which may have been taken in part. */
const seedAndDie = async (count: number, batches: number, random: () => number): Promise<void> => {
  let left = batches
  table.delay = () => sleep(Math.floor(random() * 3))
  table.answer = (puts) => {
    left -= 1
    return left < 0 ? { taken: Math.floor(random() * (puts + 1)), failure: new Error('killed') } : {}
  }
  await seed(count).catch(() => {})
  table.delay = async () => {}
  table.answer = () => ({})
}

describe('an interrupted seeding', () => {
  it('is completed by the next one, however often and wherever it ends, and never writes what is there', async () => {
    const deaths = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 5 })
    const randoms = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }))
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 1_200 }),
      deaths,
      randoms,
      async (count, ends, stream) => {
        table = new MemoryTable()
        for (const batches of ends) await seedAndDie(count, batches, () => stream.next().value ?? 0)
        const before = table.puts.size
        expect(await seed(count)).toMatchObject({ found: before, written: count - before, isComplete: true })
        expect(table.puts).toEqual(new Map(idsBelow(count).map((id) => [id, 1])))
      },
    )
    await fc.assert(property, { numRuns: sized(20, 60) })
  })

  it('ends with the batches under way, and says that it is not complete', async () => {
    const interruption = new AbortController()
    const progress = { begin: () => {}, advance: () => interruption.abort() }
    const result = await seed(5_000, { signal: interruption.signal, progress })
    expect(result).toMatchObject({ found: 0, written: table.puts.size, isComplete: false })
    expect(table.puts.size).toBeLessThanOrEqual(200)
  })

  it('is found among ten million pets with few reads', async () => {
    for (const id of idsBelow(3_000)) table.puts.set(id, 1)
    expect(await seed(10_000_000, { signal: AbortSignal.abort() })).toMatchObject({ found: 3_000 })
    expect(table.reads).toBeLessThan(24 + 400 + 25)
  })
})

describe('pets that DynamoDB does not take at once', () => {
  it('are sent again until all are written, each once', async () => {
    table.answer = (puts) => ({ taken: Math.ceil(puts / 3) })
    expect(await seed(400)).toMatchObject({ found: 0, written: 400, isComplete: true })
    expect(table.puts).toEqual(new Map(idsBelow(400).map((id) => [id, 1])))
    expect(pauses.length).toBeGreaterThan(16)
  })

  it('are retried after a random part of a time that doubles, up to five seconds, and given up after a while', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    onTestFinished(() => void vi.restoreAllMocks())
    table.answer = () => ({ taken: 0 })
    await expect(seed(1)).rejects.toThrow(UserError)
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 2_500, 2_500, 2_500, 2_500, 2_500, 2_500])
  })

  it('are not waited for after an interruption', async () => {
    table.answer = () => ({ taken: 0 })
    const { client } = table
    const result = seedPets({ client, table: 'pets', count: 100, signal: AbortSignal.timeout(50) })
    expect(await result).toMatchObject({ written: 0, isComplete: false })
  })

  it('end the seeding, with the reason, when a write fails otherwise', async () => {
    table.answer = () => ({ failure: new Error('You are not authorized') })
    await expect(seed(1_000)).rejects.toThrow('not authorized')
    expect(table.puts.size).toBeLessThanOrEqual(200)
  })
})
