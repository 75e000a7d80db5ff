import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorkbench } from '../../bench/workbench.ts'
import { gatewayEvent } from '../../events/events.ts'
import { sized } from '../../fixtures/size.ts'
import { expensiveBodies } from './expensive-bodies.ts'

/** How many times the processor time of a valid create a request may take. */
const mostTimes = 5

/** In bytes: the longest body that is read, and about the longest that Lambda takes. */
const longestRead = 16_384
const longestSent = 5_800_000

let workbench: Awaited<ReturnType<typeof openWorkbench>>
let validCreate: number
const ratios: number[] = []
beforeAll(async () => {
  workbench = await openWorkbench()
  validCreate = await processorTime('create-pet', 201)
})
afterAll(async () => {
  await workbench[Symbol.asyncDispose]()
  console.log(`The most expensive create took ${Math.max(...ratios).toFixed(2)} times the time of a valid one.`)
})

/** Every seventh in `npm test`. */
const triedBodies = (size: number) => expensiveBodies(size).filter((_body, index) => index % sized(7, 1) === 0)

/** Of one request. Each bundle runs in a process of its own, as on Lambda. */
const processorTime = async (operation: string, status: number, body?: string): Promise<number> => {
  const event = gatewayEvent(operation, body === undefined ? {} : { body })
  return (await workbench.measure({ operation, event, status, warmUp: 20, requests: 10 })).processor
}

const refusedCreate = async (status: number, body: string): Promise<number> => {
  const ratio = (await processorTime('create-pet', status, body)) / validCreate
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
    const added = (await processorTime(name, status, largest?.body)) - (await processorTime(name, status))
    expect(added).toBeLessThanOrEqual(mostTimes * validCreate)
  },
)
