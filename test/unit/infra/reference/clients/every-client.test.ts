import { createServer } from 'node:net'
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { type ProxiedRequest, readHeader, startProxy } from '../../../../fixtures/proxy.ts'
import { cases, type Fate } from './cases.ts'
import { drivers } from './drivers.ts'

/** A server of another origin. No client may connect to it. */
let connections = 0
const otherServer = createServer((socket) => {
  connections += 1
  socket.destroy()
})
const other = `127.0.0.1:${await listen(otherServer, 0)}`
afterAll(() => void otherServer.close())

/** Stands between a client and the API for one test, and decides about each request. */
const relay = async (fates: readonly Fate[]) => {
  /** The requests that came, the first one first. */
  const seen: ProxiedRequest[] = []
  const proxy = await startProxy(inject('reference').apiUrl, async (request, forward) => {
    const fate = fates[seen.push(request) - 1] ?? fates.at(-1)
    if (typeof fate === 'function') return fate(request, forward)
    const { status = 500, headers = {}, body = '' } = fate ?? {}
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    // The case names the other server without its port.
    const all = Object.entries({ 'Content-Type': 'application/json', ...headers }).flat()
    return { status, headers: all.map((part) => part.replaceAll('OTHER', other)), body: Buffer.from(text) }
  })
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return { origin: proxy.endpoint, seen }
}

// Vitest would cut off a `$title`.
const byTitle = cases.map((tested) => [tested.title, tested] as const)

describe.each(drivers)('the $language client', ({ drive, stop }) => {
  afterAll(stop)

  it.each(byTitle)('%s', async (_title, tested) => {
    const { options, calls, server, outcomes, also, waits = [] } = tested
    const isPaged = calls.some((call) => 'pets' in call)
    const { requests = isPaged ? undefined : calls.length + waits.length } = tested
    const { origin, seen } = await relay(server)
    // The key of the local environment with the largest limits.
    const client = { baseUrl: `${origin}/v1`, apiKey: inject('reference').demoKeys.at(-1) ?? '', ...options }

    const report = await drive({ options: client, calls })

    expect(connections, 'connections to another origin').toBe(0)
    for (const request of seen) {
      const sent = ['host', 'authorization'].map((name) => readHeader(request, name))
      expect(sent).toEqual([new URL(origin).host, `Bearer ${client.apiKey}`])
    }
    if (outcomes !== undefined) expect(report.outcomes.slice(0, outcomes.length)).toMatchObject(outcomes)
    if (requests !== undefined) expect(seen).toHaveLength(requests)
    expect(report.waits).toEqual(waits.map((told, index) => (told === 'random' ? waitAt(index) : told)))
    also?.({ ...report, seen })
  })
})

/** A random wait is between nothing and half a second, and up to twice as long after each further attempt of a call. */
const waitAt = (index: number) => expect.toSatisfy((seconds: number) => seconds >= 0 && seconds <= 0.5 * 2 ** index)
