import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { type Case, cases } from './cases.ts'
import { pythonDriver } from './drivers/python.ts'
import { typescriptDriver } from './drivers/typescript.ts'
import { type Fate, headerOf, pass, relay } from './relay.ts'

/** A server of another origin. No client may connect to it. */
const connections: Socket[] = []
const otherServer = createServer((socket) => {
  connections.push(socket)
  socket.destroy()
})
let other = ''
beforeAll(async () => {
  other = `127.0.0.1:${await listen(otherServer, 0)}`
})
afterAll(() => {
  otherServer.close()
})

/** The fate with the address of the other server. */
const placed = (fate: Fate): Fate =>
  typeof fate === 'object' ? JSON.parse(JSON.stringify(fate).replaceAll('OTHER', other)) : fate

const byTitle = cases.map((tested) => [tested.title, tested] as const)

describe.each([typescriptDriver, pythonDriver])('the $language client', ({ isFound, drive, stop }) => {
  afterAll(stop)

  it.skipIf(!isFound).each(byTitle)('%s', async (_title, tested) => {
    const { options, calls, server, outcomes, requests, also } = tested
    const { origin, seen } = await relay(inject('reference').apiUrl, (nth) =>
      placed(server[nth - 1] ?? server.at(-1) ?? pass),
    )
    // The key of the local environment with the largest limits.
    const client = { baseUrl: `${origin}/v1`, apiKey: inject('reference').demoKeys.at(-1) ?? '', ...options }

    const report = await drive({ options: client, calls })

    expect(connections, 'connections to another origin').toEqual([])
    for (const request of seen) {
      const sent = ['host', 'authorization'].map((name) => headerOf(request, name))
      expect(sent).toEqual([new URL(origin).host, `Bearer ${client.apiKey}`])
    }
    if (outcomes !== undefined) expect(report.outcomes.slice(0, outcomes.length)).toMatchObject(outcomes)
    if (typeof requests === 'number') expect(seen).toHaveLength(requests)
    if (typeof requests === 'object') expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual(requests)
    expectWaits(report.waits, tested)
    also?.({ ...report, seen })
  })
})

/** A random wait is between nothing and half a second, and up to twice as long after each further attempt of a call. */
const expectWaits = (waits: readonly number[], { waits: expected = [] }: Case): void => {
  expect(waits).toHaveLength(expected.length)
  for (const [index, seconds] of waits.entries()) {
    const told = expected[index]
    if (told !== 'random') expect(seconds).toBe(told)
    else expect(seconds).toBeLessThanOrEqual(0.5 * 2 ** index)
    expect(seconds).toBeGreaterThanOrEqual(0)
  }
}
