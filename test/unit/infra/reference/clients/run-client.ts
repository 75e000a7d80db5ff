import { createServer } from 'node:net'
import { afterAll, expect, inject, onTestFinished } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { type ProxiedRequest, type ProxyHandler, readHeader, startProxy } from '../../../../fixtures/machine/proxy.ts'
import type { Drive, Job, Report } from './drivers.ts'

export interface CannedResponse {
  readonly status: number
  /** The values may contain `FOREIGN_HOST`. A header with several values is sent several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Text, or a value that is sent as JSON. */
  readonly body?: unknown
}

/** Treatment of one request: a canned response, or a function that may pass the request on to the API. */
export type Treatment = CannedResponse | ProxyHandler

interface Scenario {
  readonly calls: Job['calls']
  /** Treatment of each request. Further requests get the last one. */
  readonly server: readonly Treatment[]
  readonly options?: Partial<Job['options']>
}

interface Run extends Report {
  /** Requests that the client sent, the first one first. */
  readonly requests: readonly ProxiedRequest[]
}

let foreignConnections = 0

/** A server of another origin, which no client may connect to. Canned responses call it `FOREIGN_HOST`. */
const foreignServer = createServer((socket) => {
  foreignConnections += 1
  socket.destroy()
})
const foreignHost = `127.0.0.1:${await listen(foreignServer, 0)}`
afterAll(() => {
  foreignServer.close()
})

/**
 * Has a client make calls to a server that treats its requests as the scenario says. Checks that the client sends
 * nothing to another origin, and its API key with every request.
 */
export const runClient = async (drive: Drive, { calls, server, options }: Scenario): Promise<Run> => {
  const requests: ProxiedRequest[] = []
  const proxy = await startProxy(inject('reference').apiUrl, async (request, forward) => {
    requests.push(request)
    const treatment = server[requests.length - 1] ?? server.at(-1)
    if (treatment === undefined) throw new Error('The scenario has no treatment of requests.')
    return typeof treatment === 'function' ? treatment(request, forward) : createResponse(treatment)
  })
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  // The demo key with the largest limits.
  const apiKey = inject('reference').demoKeys.enterprise

  const report = await drive({ calls, options: { baseUrl: `${proxy.endpoint}/v1`, apiKey, ...options } })

  expect(foreignConnections, 'connections to another origin').toBe(0)
  for (const request of requests) {
    expect(readHeader(request, 'host')).toBe(new URL(proxy.endpoint).host)
    expect(readHeader(request, 'authorization')).toBe(`Bearer ${apiKey}`)
  }
  return { ...report, requests }
}

const createResponse = ({ status, headers = {}, body = '' }: CannedResponse) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const namesAndValues = ['Content-Type', 'application/json']
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) namesAndValues.push(name, value.replaceAll('FOREIGN_HOST', foreignHost))
  }
  return { status, headers: namesAndValues, body: Buffer.from(text) }
}
