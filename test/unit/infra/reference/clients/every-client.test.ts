import { afterAll, describe, expect, it } from 'vitest'
import { type ProxiedRequest, type ProxyHandler, readHeader } from '../../../../fixtures/proxy.ts'
import { drivers, type ErrorReport, type ListedPet, type NewPet, type Outcome } from './drivers.ts'
import { runClient, type Treatment } from './run-client.ts'

/** Statuses that the guide says to retry. */
const retriedStatuses = [429, 500, 503, 504]
const finalStatuses = [400, 401, 403, 404, 405, 409, 413, 415, 422, 501, 502]

const bella: NewPet = { name: 'Bella', categoryId: '1' }
const createdBella = {
  status: 201,
  body: { id: 1, name: 'Bella', categoryId: 1, status: 'available' },
}
const bellaCreated = {
  pets: [{ id: 1, name: 'Bella', categoryId: '1', status: 'available' }],
}
const emptyPage = { status: 200, body: [] }

const createErrorResponse = (status: number, headers: Record<string, string> = {}): Treatment => ({
  status,
  headers,
  body: { code: 'a_code', message: 'Later.', status },
})

/** Creates a page whose `Link` header names the next page. */
const createPageWithLink = (url: string, pets: readonly object[]): Treatment => ({
  status: 200,
  headers: { Link: `<${url}>; rel="next"` },
  body: pets,
})

const passOn: ProxyHandler = (request, forward) => forward(request)

/** Passes the request on to the API, and ends the connection without its response. */
const loseResponse: ProxyHandler = async (request, forward) => {
  await forward(request)
  return undefined
}

/** Sends the beginning of a body, and then the result of `readPart` again and again. */
const sendBodyInParts =
  (readPart: () => Promise<string>): ProxyHandler =>
  async () => {
    const body = async function* () {
      yield '['
      while (true) yield await readPart()
    }
    return { status: 200, headers: [], body: body() }
  }

interface IncompleteResponse {
  readonly problem: string
  readonly treatment: ProxyHandler
  /** Code of the client's error. */
  readonly code: string
  readonly timeoutSeconds: number
}

const incompleteResponses: readonly IncompleteResponse[] = [
  { problem: 'is lost', treatment: loseResponse, code: 'connection_failed', timeoutSeconds: 30 },
  {
    problem: 'is cut off',
    treatment: sendBodyInParts(() => Promise.reject(new Error('cut off'))),
    code: 'connection_failed',
    timeoutSeconds: 30,
  },
  { problem: 'never begins', treatment: () => new Promise(() => {}), code: 'timed_out', timeoutSeconds: 0.5 },
  {
    problem: 'stalls in its body',
    treatment: sendBodyInParts(() => new Promise(() => {})),
    code: 'timed_out',
    timeoutSeconds: 0.5,
  },
]

/** Error of a client that got no response of the API. */
const createErrorReport = (code: string, status: number | null = null): ErrorReport => ({
  code,
  status,
  requestId: null,
  retryAfter: null,
})

/** URLs of another origin. */
const foreignUrls = [
  'http://FOREIGN_HOST/v1/pets',
  '//FOREIGN_HOST/v1/pets',
  String.raw`/\FOREIGN_HOST/v1/pets`,
  'http://FOREIGN_HOST@FOREIGN_HOST/v1/pets',
  'file:///etc/hostname',
]

const expectWait = (shortest: number, longest: number) =>
  expect.toSatisfy((seconds: number) => seconds >= shortest && seconds <= longest)

/** Matches the wait after an attempt: half a second to a second, doubled for each further attempt. */
const expectRandomWait = (attempt: number) => expectWait(2 ** attempt / 4, 2 ** attempt / 2)

const readPets = (outcome: Outcome | undefined): readonly ListedPet[] => {
  if (outcome === undefined || 'error' in outcome) throw new Error(`No pets: ${JSON.stringify(outcome)}`)
  return outcome.pets
}

const readIdempotencyKeys = (requests: readonly ProxiedRequest[]): readonly string[] =>
  requests.filter(({ method }) => method === 'POST').map((request) => readHeader(request, 'idempotency-key'))

describe.each(drivers)('the $language client', ({ drive, stop }) => {
  afterAll(stop)

  it.each(retriedStatuses)('a request that gets %i is sent again after the time of Retry-After', async (status) => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [createErrorResponse(status, { 'Retry-After': '17' }), emptyPage],
    })

    expect(run.outcomes).toEqual([{ pets: [] }])
    expect(run.waits).toEqual([expectWait(17, 20.4)])
    expect(run.requests).toHaveLength(2)
  })

  it.each([
    { text: 'NaN', retryAfter: null },
    { text: '-5', retryAfter: null },
    { text: '1.5', retryAfter: null },
    { text: '1e3', retryAfter: null },
    { text: '99999999999999', retryAfter: null },
    { text: 'Wed, 21 Oct 2099 07:28:00 GMT', retryAfter: null },
    { text: ' 5 ', retryAfter: 5 },
  ])('Retry-After of "$text" is $retryAfter seconds', async ({ text, retryAfter }) => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [createErrorResponse(503, { 'Retry-After': text })],
      options: { attempts: 1 },
    })

    expect(run.outcomes).toEqual([{ error: { ...createErrorReport('a_code', 503), retryAfter } }])
  })

  it('requests that get the same Retry-After are sent again at different times', async () => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [createErrorResponse(429, { 'Retry-After': '17' })],
    })

    expect(new Set(run.waits).size).toBe(7)
  })

  it('requests that get no Retry-After are sent again after random parts of the growing time', async () => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [createErrorResponse(503)],
    })

    const parts = run.waits.map((seconds, index) => seconds / 2 ** index)
    expect(new Set(parts).size).toBe(7)
  })

  it('the random time between two attempts grows to 64 seconds at most', async () => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [createErrorResponse(503)],
      options: { attempts: 10 },
    })

    expect(run.waits.slice(-3)).toEqual([expectWait(32, 64), expectWait(32, 64), expectWait(32, 64)])
  })

  it('a request waits for a Retry-After of two minutes by default', async () => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [createErrorResponse(429, { 'Retry-After': '120' }), emptyPage],
    })

    expect(run.outcomes).toEqual([{ pets: [] }])
    expect(run.waits).toEqual([expectWait(120, 144)])
  })

  it('a request waits for no longer Retry-After by default', async () => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [createErrorResponse(429, { 'Retry-After': '121' })],
    })

    expect(run.outcomes).toEqual([{ error: { ...createErrorReport('a_code', 429), retryAfter: 121 } }])
    expect(run.waits).toEqual([])
  })

  it.each(retriedStatuses)(
    'a request that gets %i without a valid Retry-After is sent again after a random time',
    async (status) => {
      const run = await runClient(drive, {
        calls: [{ create: bella }],
        server: [createErrorResponse(status), createErrorResponse(status, { 'Retry-After': 'soon' }), createdBella],
      })

      expect(run.outcomes).toEqual([bellaCreated])
      expect(run.waits).toEqual([expectRandomWait(1), expectRandomWait(2)])
      expect(run.requests).toHaveLength(3)
    },
  )

  it.each(retriedStatuses)('a creation that gets %i is sent again with the same Idempotency-Key', async (status) => {
    const run = await runClient(drive, {
      calls: [{ create: bella }],
      server: [createErrorResponse(status), createdBella],
    })

    const [first, second] = readIdempotencyKeys(run.requests)
    expect(first).not.toBe('')
    expect(second).toBe(first)
    expect(run.requests).toHaveLength(2)
  })

  it.each(finalStatuses)('a request that gets %i is sent once', async (status) => {
    const run = await runClient(drive, {
      calls: [{ page: {} }, { create: bella }],
      server: [createErrorResponse(status, { 'Retry-After': '1' })],
    })

    const error = { ...createErrorReport('a_code', status), retryAfter: 1 }
    expect(run.outcomes).toEqual([{ error }, { error }])
    expect(run.waits).toEqual([])
    expect(run.requests).toHaveLength(2)
  })

  it('a pet with a field of a later version is read', async () => {
    const run = await runClient(drive, {
      calls: [{ create: bella }],
      server: [{ ...createdBella, body: { ...createdBella.body, colour: 'brown' } }],
    })

    expect(run.outcomes).toMatchObject([bellaCreated])
  })

  it('the error of the eighth attempt is thrown', async () => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [createErrorResponse(503)],
    })

    expect(run.outcomes).toEqual([{ error: createErrorReport('a_code', 503) }])
    expect(run.waits).toEqual([
      expectRandomWait(1),
      expectRandomWait(2),
      expectRandomWait(3),
      expectRandomWait(4),
      expectRandomWait(5),
      expectRandomWait(6),
      expectRandomWait(7),
    ])
    expect(run.requests).toHaveLength(8)
  })

  it('the error is thrown at once if Retry-After is longer than the longest wait', async () => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [createErrorResponse(429, { 'Retry-After': '17' })],
      options: { longestWaitSeconds: 16 },
    })

    expect(run.outcomes).toEqual([{ error: { ...createErrorReport('a_code', 429), retryAfter: 17 } }])
    expect(run.waits).toEqual([])
    expect(run.requests).toHaveLength(1)
  })

  it.each(incompleteResponses)(
    'a creation whose response $problem is sent again',
    async ({ treatment, timeoutSeconds }) => {
      const run = await runClient(drive, {
        calls: [{ create: bella }],
        server: [treatment, createdBella],
        options: { timeoutSeconds, attempts: 2 },
      })

      expect(run.outcomes).toEqual([bellaCreated])
      expect(run.waits).toEqual([expectRandomWait(1)])
      expect(run.requests).toHaveLength(2)
    },
  )

  it.each(incompleteResponses)(
    'an error is thrown if the last response $problem',
    async ({ treatment, code, timeoutSeconds }) => {
      const run = await runClient(drive, {
        calls: [{ page: {} }],
        server: [treatment],
        options: { timeoutSeconds, attempts: 2 },
      })

      expect(run.outcomes).toEqual([{ error: createErrorReport(code) }])
      expect(run.waits).toEqual([expectRandomWait(1)])
      expect(run.requests).toHaveLength(2)
    },
  )

  it('a creation whose responses are lost adds one pet', async () => {
    const run = await runClient(drive, {
      calls: [{ page: { limit: 50 } }, { create: { name: 'Once', categoryId: '1' } }, { page: { limit: 50 } }],
      server: [passOn, loseResponse, loseResponse, passOn],
    })

    const [before, created, after] = run.outcomes.map(readPets)
    const listedBefore = before?.filter(({ name }) => name === 'Once') ?? []
    const listedAfter = after?.filter(({ name }) => name === 'Once')
    expect(listedAfter).toEqual([created?.[0], ...listedBefore])
    const [first, second, third] = readIdempotencyKeys(run.requests)
    expect(first).not.toBe('')
    expect([second, third]).toEqual([first, first])
    expect(run.waits).toEqual([expectRandomWait(1), expectRandomWait(2)])
    expect(run.requests).toHaveLength(5)
  })

  it('two creations have two Idempotency-Keys', async () => {
    const run = await runClient(drive, {
      calls: [{ create: bella }, { create: bella }],
      server: [passOn],
    })

    const [first, second] = run.outcomes.map(readPets)
    expect(second).not.toEqual(first)
    const [firstKey, secondKey] = readIdempotencyKeys(run.requests)
    expect(secondKey).not.toBe(firstKey)
    expect(run.waits).toEqual([])
    expect(run.requests).toHaveLength(2)
  })

  it('a creation has the Idempotency-Key of its caller', async () => {
    const run = await runClient(drive, {
      calls: [
        { create: bella, idempotencyKey: 'given' },
        { create: bella, idempotencyKey: 'given' },
      ],
      server: [passOn],
    })

    expect(readIdempotencyKeys(run.requests)).toEqual(['given', 'given'])
    const [first, second] = run.outcomes.map(readPets)
    expect(second).toEqual(first)
    expect(run.waits).toEqual([])
    expect(run.requests).toHaveLength(2)
  })

  it('small pages have the same pets as large pages', async () => {
    const run = await runClient(drive, {
      calls: [{ pets: {} }, { pets: { limit: 4 } }],
      server: [passOn],
    })

    const [inLargePages = [], inSmallPages = []] = run.outcomes.map(readPets)
    const smallPageIds = inSmallPages.map(({ id }) => id)
    expect(new Set(smallPageIds).size).toBe(smallPageIds.length)
    // Other tests add pets at the same time.
    const largePageIds = new Set(inLargePages.map(({ id }) => id))
    expect(inSmallPages.filter(({ id }) => largePageIds.has(id))).toEqual(inLargePages)
    expect(run.waits).toEqual([])
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
    expect(run.waits).toEqual([])
  })

  it('no further page is requested after the caller has left the loop', async () => {
    const run = await runClient(drive, {
      calls: [{ pets: { limit: 2 }, stopAfter: 1 }],
      server: [passOn],
    })

    expect(run.outcomes).toMatchObject([{ pets: [{ id: expect.any(Number) }] }])
    expect(run.waits).toEqual([])
    expect(run.requests).toHaveLength(1)
  })

  it('an error is thrown if a page has a pet that is not older than the page before', async () => {
    const run = await runClient(drive, {
      calls: [{ pets: {} }],
      server: [createPageWithLink('/v1/pets?cursor=a', [createdBella.body])],
    })

    expect(run.outcomes).toEqual([{ error: createErrorReport('unexpected_response', 200) }])
    expect(run.waits).toEqual([])
    expect(run.requests).toHaveLength(2)
  })

  it('an error is thrown if a page without pets has a next page', async () => {
    const run = await runClient(drive, {
      calls: [{ pets: {} }],
      server: [createPageWithLink('/v1/pets?cursor=a', [])],
    })

    expect(run.outcomes).toEqual([{ error: createErrorReport('unexpected_response', 200) }])
    expect(run.requests).toHaveLength(1)
  })

  it('an error has the id of the request', async () => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [createErrorResponse(400, { 'x-amzn-RequestId': 'an-id' })],
    })

    expect(run.outcomes).toEqual([{ error: { ...createErrorReport('a_code', 400), requestId: 'an-id' } }])
  })

  it('a request names the client and its version', async () => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [emptyPage],
    })

    const [request] = run.requests
    expect(request && readHeader(request, 'user-agent')).toMatch(/^pet-adoption-(typescript|python)\/\d+\.\d+\.\d+$/)
  })

  it('new pets are followed from an id on, until the signal to end', async () => {
    const createPage = (...ids: readonly number[]): Treatment => ({
      status: 200,
      body: ids.map((id) => ({ ...createdBella.body, id })),
    })
    const run = await runClient(drive, {
      calls: [{ follow: { after: 40 }, stopAfter: 3 }],
      server: [createPage(50, 40, 30), createPage(50, 40, 30), createPage(70, 60, 50, 40, 30)],
    })

    expect(run.outcomes.map(readPets)).toMatchObject([[{ id: 50 }, { id: 70 }, { id: 60 }]])
    expect(run.waits).toEqual([120, 120])
    expect(run.requests).toHaveLength(3)
  })

  it('every int64 stays exact in requests and responses', async () => {
    const run = await runClient(drive, {
      calls: [
        { create: { name: 'Exactly', categoryId: '3' } },
        { create: { name: 'Exactly', categoryId: '9007199254740991' } },
        { create: { name: 'Exactly', categoryId: '9007199254740993' } },
        { create: { name: 'Exactly', categoryId: '9223372036854775807' } },
        { create: { name: 'Exactly', categoryId: '-9223372036854775808' } },
        { page: { limit: 50 } },
      ],
      server: [passOn],
    })

    expect(run.outcomes.slice(0, 5)).toMatchObject([
      { pets: [{ name: 'Exactly', categoryId: '3' }] },
      { pets: [{ name: 'Exactly', categoryId: '9007199254740991' }] },
      { pets: [{ name: 'Exactly', categoryId: '9007199254740993' }] },
      { pets: [{ name: 'Exactly', categoryId: '9223372036854775807' }] },
      { pets: [{ name: 'Exactly', categoryId: '-9223372036854775808' }] },
    ])
    const listed = readPets(run.outcomes.at(-1)).filter(({ name }) => name === 'Exactly')
    expect(listed.slice(0, 5)).toMatchObject([
      { categoryId: '-9223372036854775808' },
      { categoryId: '9223372036854775807' },
      { categoryId: '9007199254740993' },
      { categoryId: '9007199254740991' },
      { categoryId: '3' },
    ])
    expect(run.waits).toEqual([])
    expect(run.requests).toHaveLength(6)
  })

  it.each(foreignUrls)('no redirect to %s is followed', async (url) => {
    const redirect = (status: number): Treatment => ({ status, headers: { Location: url } })
    const run = await runClient(drive, {
      calls: [{ create: bella }, { page: {} }, { create: bella }, { create: bella }, { page: {} }],
      server: [redirect(301), redirect(302), redirect(303), redirect(307), redirect(308)],
    })

    expect(run.outcomes).toEqual([
      { error: createErrorReport('unexpected_response', 301) },
      { error: createErrorReport('unexpected_response', 302) },
      { error: createErrorReport('unexpected_response', 303) },
      { error: createErrorReport('unexpected_response', 307) },
      { error: createErrorReport('unexpected_response', 308) },
    ])
    expect(run.waits).toEqual([])
    expect(run.requests).toHaveLength(5)
  })

  it.each(foreignUrls)('only the cursor is taken from a Link to %s', async (url) => {
    const run = await runClient(drive, {
      calls: [{ pets: {} }],
      server: [createPageWithLink(`${url}?cursor=a%2Cb`, [createdBella.body]), emptyPage],
    })

    expect(run.outcomes).toEqual([bellaCreated])
    expect(run.waits).toEqual([])
    expect(run.requests.map(({ path }) => path)).toEqual(['/v1/pets?limit=100', '/v1/pets?limit=100&cursor=a%2Cb'])
  })

  it.each([
    { status: 200, body: '' },
    { status: 200, body: '<html>' },
    { status: 200, body: '[{"id":1}' },
    { status: 200, body: '[{"id":1}]]' },
    { status: 502, body: '<html>' },
  ])('a response $status with the body "$body" is an unexpected response', async ({ status, body }) => {
    const run = await runClient(drive, {
      calls: [{ page: {} }],
      server: [{ status, body }],
    })

    expect(run.outcomes).toEqual([{ error: createErrorReport('unexpected_response', status) }])
    expect(run.waits).toEqual([])
    expect(run.requests).toHaveLength(1)
  })
})
