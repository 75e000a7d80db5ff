import { createServer as createHttpsServer } from 'node:https'
import { createServer } from 'node:net'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { readProvided } from '../../../../fixtures/machine/provided.ts'
import { type ProxiedRequest, type ProxyHandler, readHeader, startProxy } from '../../../../fixtures/machine/proxy.ts'
import {
  type Call,
  type Drive,
  drivers,
  type Job,
  type ListedPet,
  type Outcome,
  type Report,
} from '../../../../fixtures/reference/client-drivers.ts'
import { bella, type CannedResponse, cases, loseResponse, refusals, type Treatment } from './cases.ts'
import { certificate, certificateKey } from './certificate.ts'

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

/** A server of another origin, to which no client may connect. Canned responses call its host `FOREIGN_HOST`. */
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
 * nothing to another origin, and its API key with every request, although ~/.netrc has a password for the host.
 */
const runClient = async (drive: Drive, { calls, server, options }: Scenario): Promise<Run> => {
  const requests: ProxiedRequest[] = []
  const proxy = await startProxy(readProvided('reference').apiUrl, async (request, forward) => {
    requests.push(request)
    const treatment = server[requests.length - 1] ?? server.at(-1)
    if (treatment === undefined) throw new Error('The scenario has no treatment of requests.')
    return typeof treatment === 'function' ? treatment(request, forward) : createResponse(treatment)
  })
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  // The demo key with the largest limits.
  const apiKey = readProvided('reference').demoKeys.enterprise

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
  const namesAndValues = 'Content-Type' in headers ? [] : ['Content-Type', 'application/json']
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) namesAndValues.push(name, value.replaceAll('FOREIGN_HOST', foreignHost))
  }
  return { status, headers: namesAndValues, body: Buffer.from(text) }
}

const page: Call = { page: {} }
const passOn: ProxyHandler = (request, forward) => forward(request)
/** The clients send a request again after this response. */
const unavailable = { status: 503, body: { code: 'service_unavailable', message: 'Later.', status: 503 } }

const readPets = (outcome: Outcome | undefined): readonly ListedPet[] => {
  if (outcome === undefined || !('pets' in outcome)) throw new Error(`No pets: ${JSON.stringify(outcome)}`)
  return outcome.pets
}

const readIdempotencyKeys = (requests: readonly ProxiedRequest[]): readonly string[] =>
  requests.filter(({ method }) => method === 'POST').map((request) => readHeader(request, 'idempotency-key'))

describe.each(drivers)('the client $client', ({ drive, stop }) => {
  afterAll(stop)

  it.each(cases)('$title', async ({ calls, server, options = {}, outcomes, waits = [], paths }) => {
    const run = await runClient(drive, { calls, server, options })

    expect(run.outcomes).toMatchObject(outcomes)
    const isInRange = waits.map(({ shortestSeconds, longestSeconds }) =>
      expect.toSatisfy((seconds: number) => seconds >= shortestSeconds && seconds <= longestSeconds),
    )
    expect(run.waits).toEqual(isInRange)
    if (paths === undefined) expect(run.requests).toHaveLength(calls.length + waits.length)
    else expect(run.requests.map(({ path }) => path)).toEqual(paths)
    const creations = calls.filter((call) => 'create' in call)
    expect(new Set(readIdempotencyKeys(run.requests)).size).toBe(creations.length)
  })

  it.each(refusals)('$setting is refused before the first request', async ({ options = {}, call = page }) => {
    const run = await runClient(drive, { calls: [call], server: [unavailable], options })

    expect(run.outcomes).toEqual([{ refused: expect.not.stringContaining('secret') }])
    expect(run.requests).toEqual([])
  })

  it.each([
    { header: 'the same Retry-After', headers: { 'Retry-After': '17' } },
    { header: 'no Retry-After', headers: {} },
  ])('requests that get $header are sent again at different times', async ({ headers }) => {
    const run = await runClient(drive, {
      calls: [page, page, page],
      server: [{ ...unavailable, headers }],
      options: { attempts: 2 },
    })

    // One wait for each call, all of them different.
    expect(new Set(run.waits).size).toBe(3)
  })

  it('the User-Agent of a request names the client and its version', async () => {
    const run = await runClient(drive, { calls: [page], server: [passOn] })

    const [request] = run.requests
    expect(request && readHeader(request, 'user-agent')).toMatch(/^pet-adoption-(typescript|python)\/\d+\.\d+\.\d+$/)
  })

  it('a server whose certificate is not trusted gets no request', async () => {
    const onRequest = vi.fn()
    const server = createHttpsServer({ key: certificateKey, cert: certificate }, onRequest)
    onTestFinished(() => {
      server.close()
    })
    const baseUrl = `https://127.0.0.1:${await listen(server, 0)}/v1`

    const report = await drive({ options: { baseUrl, apiKey: 'a-key' }, calls: [page] })

    expect(report).toMatchObject({ outcomes: [{ error: { code: 'certificate_refused' } }], waits: [] })
    expect(onRequest).not.toHaveBeenCalled()
  })

  it('a creation whose responses are lost adds one pet', async () => {
    const run = await runClient(drive, {
      calls: [{ page: { limit: 50 } }, { create: { name: 'Once', categoryId: '1' } }, { page: { limit: 50 } }],
      server: [passOn, loseResponse, loseResponse, passOn],
    })

    // Earlier drivers have added a pet of this name too. The newest pets come first.
    const [before, created, after] = run.outcomes.map(readPets)
    const listedBefore = before?.filter(({ name }) => name === 'Once') ?? []
    const listedAfter = after?.filter(({ name }) => name === 'Once')
    expect(listedAfter).toEqual([created?.[0], ...listedBefore])
    const [first, second, third] = readIdempotencyKeys(run.requests)
    // The text is empty if the header is missing.
    expect(first).not.toBe('')
    expect([second, third]).toEqual([first, first])
    // Two pages, and three attempts of the creation.
    expect(run.requests).toHaveLength(5)
  })

  it('a creation has the Idempotency-Key of its caller', async () => {
    const creation = { create: bella, idempotencyKey: 'given by the caller' }
    const run = await runClient(drive, { calls: [creation, creation], server: [passOn] })

    expect(readIdempotencyKeys(run.requests)).toEqual(['given by the caller', 'given by the caller'])
    const [first, second] = run.outcomes.map(readPets)
    expect(second).toEqual(first)
  })

  it('pages of a status have all pets with that status', async () => {
    const run = await runClient(drive, {
      calls: [{ pets: {} }, { pets: { limit: 1, status: 'sold' } }],
      server: [passOn],
    })

    // No other test adds a pet that is sold.
    const [all = [], sold = []] = run.outcomes.map(readPets)
    expect(sold.length).toBeGreaterThan(1)
    expect(sold).toEqual(all.filter(({ status }) => status === 'sold'))
  })

  it('every int64 stays exact in requests and responses', async () => {
    const categoryIds = [
      '3',
      '9007199254740991',
      '9007199254740993',
      '9223372036854775807',
      '-9223372036854775808',
    ] as const
    const creations = categoryIds.map((categoryId) => ({ create: { name: 'Exactly', categoryId } }))

    const run = await runClient(drive, { calls: [...creations, { page: { limit: 50 } }], server: [passOn] })

    const created = run.outcomes.slice(0, -1).flatMap(readPets)
    expect(created.map(({ categoryId }) => categoryId)).toEqual(categoryIds)
    // The newest pets come first. After them come those that earlier drivers have added.
    const listed = readPets(run.outcomes.at(-1)).filter(({ name }) => name === 'Exactly')
    expect(listed.slice(0, categoryIds.length)).toEqual(created.toReversed())
  })
})
