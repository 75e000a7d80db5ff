import { setTimeout } from 'node:timers/promises'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { seed } from '../../fixtures/seed.ts'
import { seededRandom } from '../../fixtures/seeded-random.ts'
import { sized } from '../../fixtures/size.ts'
import type { Fate, Fault } from './fault-proxy.ts'
import { faultyService, isTimedOut } from './service.ts'

/** `PET_FAULT_CREATES=10000` makes it the long run, in which functions crash besides. */
const creates = Number(process.env['PET_FAULT_CREATES'] ?? sized(50, 150))
const isLongRun = creates > 1_000
const crashShare = isLongRun ? 0.002 : 0
const callersAtOnce = isLongRun ? 32 : 8

const service = faultyService()

it(`each of ${creates} creates is stored once, although a fifth of the calls to DynamoDB fail`, {
  timeout: isLongRun ? 3_600_000 : 300_000,
}, async () => {
  const crashes = spreadFaults()
  const acknowledged = new Map<string, string>()
  const responses = new Map<number, number>()
  let next = 0
  const caller = async (): Promise<void> => {
    while (next < creates) {
      const name = `Pet ${next}`
      next += 1
      acknowledged.set(name, await createUntilAcknowledged(name, responses))
    }
  }
  await Promise.all(Array.from({ length: callersAtOnce }, caller))

  const stored = await storedPets()
  const { proxy, key, keys, invocations } = service()
  const { dayCount } = await keys.show(key.record.keyId)
  const ran = invocations.filter(({ operation }) => operation === 'create-pet').length
  if (isLongRun) {
    const timedOut = invocations.filter(isTimedOut).length
    console.log({ responses, crashes: crashes(), ...{ dayCount, ran, timedOut }, faults: proxy.happened })
  }
  const faults = [...proxy.happened.values()].reduce((sum, times) => sum + times, 0)
  // Within five standard deviations of a fifth.
  const calls = proxy.calls.length
  expect(Math.abs(faults - 0.2 * calls)).toBeLessThan(5 * Math.sqrt(0.16 * calls))
  // Each pet once, under the id that its caller was told.
  expect(new Map(stored)).toEqual(acknowledged)
  expect(stored).toHaveLength(creates)
  // Whatever ran was counted.
  expect(dayCount).toBeGreaterThanOrEqual(ran)
})

/** How many of a thousand calls meet each fault: 200 in all. Those that cost a second of waiting are the fewest. */
const perThousand: Readonly<Record<Fault, number>> = {
  throttled: 38,
  'internal error': 38,
  'request lost': 38,
  'response lost': 40,
  'half a response': 40,
  'stalled response': 3,
  'no response': 3,
}

/** The same fates in the same order for each seed. */
const randomFates = (): (() => Fate) => {
  const random = seededRandom(seed)
  const entries = Object.entries(perThousand) as [Fault, number][]
  return () => {
    let left = random() * 1_000
    for (const [fault, share] of entries) {
      left -= share
      if (left < 0) return { fault }
    }
    return {}
  }
}

/** @returns how many functions have crashed */
const spreadFaults = (): (() => number) => {
  const fate = randomFates()
  const random = seededRandom(seed + 1)
  let crashes = 0
  const afterCommit = async (): Promise<void> => {
    crashes += 1
    await service().crash()
  }
  service().proxy.decide = (): Fate => (random() < crashShare ? { afterCommit } : fate())
  return () => crashes
}

/** A client that sends the same request again, after a pause, until it gets 201. */
const createUntilAcknowledged = async (name: string, responses: Map<number, number>): Promise<string> => {
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const request = { path: '/pets', body: { name, categoryId: 1 }, idempotencyKey: name }
    const { status, text } = await service().send(request)
    responses.set(status, (responses.get(status) ?? 0) + 1)
    if (status === 201) return String(JSON.parse(text).id)
    if (status !== 409 && status < 429) throw new Error(`It got ${status}.`)
    // A locked key is retried after its Retry-After, the others at once, to be the harder test.
    await setTimeout(status === 409 ? 1_000 : 50)
  }
  throw new Error(`${name} was never acknowledged.`)
}

/** Every pet of the table: its name and id. */
const storedPets = async (): Promise<[string, string][]> => {
  const pets: [string, string][] = []
  let ExclusiveStartKey: Record<string, unknown> | undefined
  do {
    const page = await service().client.send(
      new ScanCommand({
        TableName: service().names.tables.pets,
        ConsistentRead: true,
        // A retry leaves a void item under the id that it gave up.
        FilterExpression: 'attribute_not_exists(voidFor)',
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      }),
    )
    for (const { name, id } of page.Items ?? []) pets.push([String(name), String(id)])
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
  return pets
}
