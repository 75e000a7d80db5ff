import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type WarmProcess, warmProcess } from '../../bench/processes.ts'
import { compare } from '../../bench/report/statistics.ts'
import { openWorkbench, type Workbench } from '../../bench/workbench.ts'
import { gatewayEvent } from '../../events/events.ts'
import { sized } from '../../fixtures/size.ts'
import { expensiveBodies } from './expensive-bodies.ts'

/** How many times the processor time of a valid create a request may take. */
const mostTimes = 5

/** In bytes: the longest body that is read, and about the longest that Lambda takes. */
const longestRead = 16_384
const longestSent = 5_800_000

// Each bundle runs in a process of its own, as on Lambda, so that its processor time is the function's alone.
let workbench: Workbench
let validCreate: WarmProcess
const ratios: number[] = []
beforeAll(async () => {
  workbench = await openWorkbench()
  validCreate = await start('create-pet', 201)
  await validCreate.send(100)
})
afterAll(async () => {
  await validCreate[Symbol.asyncDispose]()
  await workbench[Symbol.asyncDispose]()
  console.log(`The most expensive create took ${Math.max(...ratios).toFixed(2)} times the time of a valid one.`)
})

/** Every seventh in `npm test`. */
const triedBodies = (size: number) => expensiveBodies(size).filter((_body, index) => index % sized(7, 1) === 0)

const start = async (name: string, status: number, body?: string): Promise<WarmProcess> => {
  const event = gatewayEvent(name, body === undefined ? {} : { body })
  return warmProcess(await workbench.launchFunction({ request: name, name, event, status }))
}

/** The processor time of a request as a multiple of that of a valid create: the median of rounds in which both ran. */
const timesOf = async (tried: WarmProcess): Promise<number> => {
  await tried.send(20)
  const rounds: { readonly measured: number; readonly floor: number }[] = []
  for (let round = 0; round < sized(3, 5); round += 1) {
    const { cpu: measured } = await tried.send(5)
    const { cpu: floor } = await validCreate.send(20)
    rounds.push({ measured, floor })
  }
  return compare(rounds).ratio.median
}

const refusedCreate = async (status: number, body: string): Promise<number> => {
  await using refused = await start('create-pet', status, body)
  const ratio = await timesOf(refused)
  ratios.push(ratio)
  return ratio
}

describe(`A create takes no more than ${mostTimes} times the processor time of a valid one`, () => {
  test.each(triedBodies(longestRead))('when it is refused for $what in 16 KB', async ({ body }) => {
    expect(await refusedCreate(400, body)).toBeLessThanOrEqual(mostTimes)
  })

  test.each(triedBodies(longestSent))('when it is refused for $what in 5.8 MB', async ({ body }) => {
    expect(await refusedCreate(413, body)).toBeLessThanOrEqual(mostTimes)
  })
})

const takingNone = [
  { name: 'list-pets', status: 200 },
  { name: 'get-pet', status: 200 },
  { name: 'list-store-orders', status: 501 },
  { name: 'unknown-route', status: 404 },
]

test.each(sized(takingNone.slice(0, 1), takingNone))(
  'a body of 5.8 MB adds no more than that to $name, which takes no body',
  async ({ name, status }) => {
    const [largest] = expensiveBodies(longestSent)
    await using withBody = await start(name, status, largest?.body)
    await using withoutBody = await start(name, status)
    expect((await timesOf(withBody)) - (await timesOf(withoutBody))).toBeLessThanOrEqual(mostTimes)
  },
)
