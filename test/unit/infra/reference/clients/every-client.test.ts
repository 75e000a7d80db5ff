import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localApi } from '../../local/local-api.ts'
import type { Case, Run } from './cases/case.ts'
import { origins } from './cases/origins.ts'
import { pages } from './cases/pages.ts'
import { retries } from './cases/retries.ts'
import { slowAndBroken } from './cases/slow-and-broken.ts'
import { pythonDriver } from './drivers/python.ts'
import { typescriptDriver } from './drivers/typescript.ts'
import { portOf, relay } from './relay.ts'

const api = localApi()

/** A server of another origin, and how many connections it got. */
const connections = { now: 0, inAll: 0 }
let other = ''
const otherServer = createServer((socket: Socket) => {
  connections.now += 1
  connections.inAll += 1
  socket.destroy()
})
beforeAll(async () => {
  other = `127.0.0.1:${await portOf(otherServer)}`
})
afterAll(() => {
  otherServer.close()
})

const issueWith = (perDay: number) =>
  api().keys.issue({ owner: 'a client', plan: 'enterprise', allowance: { perMinute: 100_000, perDay } })

const cases = [...pages, ...retries, ...slowAndBroken, ...origins].map((tested) => [tested.title, tested] as const)

describe.each([typescriptDriver, pythonDriver])('the $language client', ({ isFound, drive, stop }) => {
  afterAll(stop)

  it.skipIf(!isFound).each(cases)('%s', async (_title, tested) => {
    connections.now = 0
    const { options, calls, server, perDay, stopsAtWait = false } = tested
    const issued = perDay === undefined ? api().key : await issueWith(perDay)
    let fates: ReturnType<Case['server']> = []
    const { origin, baseUrl, seen, answered } = await relay(
      api().baseUrl,
      (nth) => fates.at(nth - 1) ?? fates.at(-1) ?? 'pass',
    )
    const own = new URL(origin).host
    fates = server({ api: api(), issued, own, other })
    const client = { baseUrl, apiKey: issued.apiKey, ...options }

    const report = await drive({ options: client, calls, stopsAtWait })

    const run = { ...report, seen, answered }
    expect(connections.now, 'connections to another origin').toBe(0)
    for (const { headers } of seen) {
      expect(headers).toMatchObject({ host: own, authorization: `Bearer ${client.apiKey}` })
    }
    expectAll(tested, run)
  })
})

it('no client connects to another origin in any case', () => {
  expect(connections.inAll).toBe(0)
})

const expectAll = ({ outcomes, requests, waits = [], also }: Case, run: Run): void => {
  if (outcomes !== undefined) expect(run.outcomes).toMatchObject(outcomes)
  if (typeof requests === 'number') expect(run.seen).toHaveLength(requests)
  if (typeof requests === 'object') expect(run.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(requests)
  const retryAfter = typeof waits === 'function' ? waits(run) : waits
  expect(run.waits).toHaveLength(retryAfter.length)
  for (const [index, { seconds }] of run.waits.entries()) {
    // What is added is spread, and doubles with each attempt.
    const added = seconds - (retryAfter[index] ?? Number.NaN)
    expect(added).toBeGreaterThanOrEqual(0.25 * 2 ** index)
    expect(added).toBeLessThanOrEqual(0.5 * 2 ** index)
  }
  also?.(run)
}
