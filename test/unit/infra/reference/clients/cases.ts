import { expect } from 'vitest'
import { type ProxyHandler, stallHalfway } from '../../../../fixtures/machine/proxy.ts'
import type { Call, ErrorReport, Job, NewPet, Outcome } from '../../../../fixtures/reference/client-drivers.ts'

export interface CannedResponse {
  readonly status: number
  /**
   * Headers. `FOREIGN_HOST` stands for the host of another server, to which no client may connect. A header with
   * several values is sent several times.
   */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Text, or a value that is sent as JSON. */
  readonly body?: unknown
}

/** Treatment of one request: a canned response, or a function that may pass the request on to the API. */
export type Treatment = CannedResponse | ProxyHandler

/** Calls of a client, the responses that it gets, and what comes of them. Clients of both languages pass each case. */
interface Case {
  readonly title: string
  readonly calls: readonly Call[]
  /** Treatment of each request. Further requests get the last one. */
  readonly server: readonly Treatment[]
  readonly options?: Partial<Job['options']>
  /** Outcomes with at least these fields. */
  readonly outcomes: readonly ExpectedOutcome[]
  /** Range of each wait between two attempts or polls. @default none */
  readonly waits?: readonly Range[]
  /** Paths of the requests that the client sends. @default any paths, in one request for each call and each wait */
  readonly paths?: readonly string[]
}

type ExpectedOutcome = Outcome | { readonly error: Partial<ErrorReport> }

interface Range {
  readonly shortestSeconds: number
  readonly longestSeconds: number
}

export const bella: NewPet = { name: 'Bella', categoryId: '1' }
/** The pet as the API sends it. */
const bellaInResponse = { id: 1, name: 'Bella', categoryId: 1, status: 'available' }
const bellaAdded = { status: 201, body: bellaInResponse }
/** The pet as a driver reports what its client has read. */
const bellaInReport = { id: 1, name: 'Bella', categoryId: '1', status: 'available' } as const
const onlyBella: Outcome = { pets: [bellaInReport] }
/** A pet with a field that the clients do not know, and pass on. */
const brownBellaInReport = { ...bellaInReport, colour: 'brown' }

const page: Call = { page: {} }
const creation: Call = { create: bella }
const noPets: Outcome = { pets: [] }
const emptyPage = { status: 200, body: [] }
const htmlPage = { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>' }

/** A wait of random length. */
const between = (shortestSeconds: number, longestSeconds: number): Range => ({ shortestSeconds, longestSeconds })

/** The wait between two polls, which is not random. */
const exactly = (seconds: number): Range => between(seconds, seconds)

/** The wait after a response with a `Retry-After`: that time, and up to a fifth of it more. */
const afterRetryAfter = (seconds: number): Range => between(seconds, seconds * 1.2)

/** Waits between attempts without a `Retry-After`, the first one first. Each is twice as long, up to 64 seconds. */
const randomWaits = [1, 2, 4, 8, 16, 32, 64, 64, 64].map((longest) => between(longest / 2, longest))

const respondError = (status: number, headers: CannedResponse['headers'] = {}): CannedResponse => ({
  status,
  headers,
  body: { code: 'a_code', message: 'Later.', status },
})

/** Creates the outcome of a call that fails: an error of the API, or of the client if it got no response. */
const expectError = (code: string, details: Partial<ErrorReport> = {}): ExpectedOutcome => ({
  error: { code, status: null, requestId: null, retryAfter: null, ...details },
})

/** Responds with pets by their ids, and with a link to the next page if it has a URL. */
const respondPets = (ids: readonly number[], nextUrl?: string): CannedResponse => ({
  status: 200,
  headers: nextUrl === undefined ? {} : { Link: `<${nextUrl}>; rel="next"` },
  body: ids.map((id) => ({ ...bellaInResponse, id })),
})

const pets = (...ids: readonly number[]): Outcome => ({ pets: ids.map((id) => ({ ...bellaInReport, id })) })

/** Responds 429 with a time 100 seconds from now as a date, whose seconds have no fraction. */
const limitUntilDate: Treatment = async () => {
  const date = new Date(Date.now() + 100_000).toUTCString()
  return { status: 429, headers: ['Retry-After', date], body: Buffer.from('') }
}

/** Passes the request on to the API, and ends the connection without its response. */
export const loseResponse: Treatment = async (request, forward) => {
  await forward(request)
  return undefined
}

/** Sends the beginning of a body, and ends the connection. */
const cutOff: Treatment = async () => {
  const body = async function* () {
    yield '['
    throw new Error('cut off')
  }
  return { status: 200, headers: [], body: body() }
}

/** Sends a body that is shorter than its Content-Length says, and ends the connection. Its JSON is complete. */
const endEarly: Treatment = async () => {
  const body = async function* () {
    yield JSON.stringify(bellaInResponse)
    throw new Error('cut off')
  }
  return { status: 201, headers: ['Content-Length', '1000'], body: body() }
}

const sayNothing: Treatment = () => new Promise(() => {})

const stall: Treatment = async () => ({ status: 200, headers: [], body: stallHalfway(Buffer.from('[{"id":1}]')) })

const loseConnection: Treatment = async () => undefined

/** Half of the JSON of a pet. Without a Content-Length, the client cannot know that there was more. */
const halfOfBella = { status: 201, body: JSON.stringify(bellaInResponse).slice(0, 20) }

/** Statuses after which a request is not sent again. */
const finalStatuses = [400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 501]

const retries: readonly Case[] = [
  ...[429, 500, 502, 503, 504].map(
    (status): Case => ({
      title: `a creation that gets ${status} is sent again after the time of Retry-After, or a random time without one`,
      calls: [creation],
      server: [
        respondError(status, { 'Retry-After': '17' }),
        respondError(status),
        respondError(status, { 'Retry-After': 'soon' }),
        bellaAdded,
      ],
      outcomes: [onlyBella],
      // The random waits of the second and the third attempt: that of the first was the time of Retry-After.
      waits: [afterRetryAfter(17), ...randomWaits.slice(1, 3)],
    }),
  ),
  {
    title: 'a creation that gets another error is sent once',
    calls: finalStatuses.map(() => creation),
    server: finalStatuses.map((status) => respondError(status, { 'Retry-After': '1' })),
    outcomes: finalStatuses.map((status) => expectError('a_code', { status, retryAfter: 1 })),
  },
  {
    title: 'the error of the eighth attempt is thrown',
    calls: [page],
    server: [respondError(503)],
    outcomes: [expectError('a_code', { status: 503 })],
    waits: randomWaits.slice(0, 7),
  },
  {
    title: 'the random time between two attempts doubles up to 64 seconds',
    calls: [page],
    server: [respondError(503)],
    options: { attempts: 10 },
    outcomes: [expectError('a_code', { status: 503 })],
    waits: randomWaits,
  },
  {
    title: 'a Retry-After of two minutes is waited for, and the error with a longer one is thrown at once',
    calls: [page, page],
    server: [
      respondError(429, { 'Retry-After': '120' }),
      emptyPage,
      respondError(429, { 'Retry-After': '121', 'x-amzn-RequestId': 'an-id' }),
    ],
    outcomes: [noPets, expectError('a_code', { status: 429, retryAfter: 121, requestId: 'an-id' })],
    waits: [afterRetryAfter(120)],
  },
  {
    title: 'a date as Retry-After, as a proxy may send it, is waited for',
    calls: [page],
    server: [limitUntilDate, emptyPage],
    outcomes: [noPets],
    // The date is 100 seconds away: less on a slow machine, and up to a fifth more at random.
    waits: [between(50, 120)],
  },
  {
    title: 'the error with a longer Retry-After than the longest wait is thrown at once',
    calls: [page],
    server: [respondError(429, { 'Retry-After': '17' })],
    options: { longestWaitSeconds: 16 },
    outcomes: [expectError('a_code', { status: 429, retryAfter: 17 })],
  },
]

/** Values of `Retry-After`. A value that is neither whole seconds of at most nine digits nor a date counts as none. */
const retryAfters = [
  { text: 'NaN', retryAfter: null },
  { text: '-5', retryAfter: null },
  { text: '1.5', retryAfter: null },
  { text: '1e3', retryAfter: null },
  { text: '99999999999999', retryAfter: null },
  { text: 'Wed, 21 Foo 2015 07:28:00 GMT', retryAfter: null },
  { text: 'Wed, 21 Oct 2015 07:28:00 GMT', retryAfter: 0 },
  { text: ' 5 ', retryAfter: 5 },
]

const incompleteResponses: readonly Case[] = [
  {
    title: 'a creation whose response is cut off is sent again',
    calls: [creation],
    server: [cutOff, endEarly, loseConnection, bellaAdded],
    outcomes: [onlyBella],
    waits: randomWaits.slice(0, 3),
  },
  {
    title: 'a request whose response never begins, or stalls in its body, times out and is sent again',
    calls: [page],
    server: [sayNothing, stall],
    // One attempt for each response. The time is short, because the test waits for its end.
    options: { attempts: 2, timeoutSeconds: 0.3 },
    outcomes: [expectError('timed_out')],
    waits: randomWaits.slice(0, 1),
  },
  {
    title: 'a request to a port where nobody listens is sent again, and its error says the reason',
    calls: [page],
    server: [],
    // Nobody listens on this port. The host has two addresses, so Node.js reports an error for each, in one error.
    options: { baseUrl: 'http://localhost:65535/v1', attempts: 3 },
    outcomes: [expectError('connection_failed', { message: expect.stringMatching(/ECONNREFUSED|Connection refused/) })],
    waits: randomWaits.slice(0, 2),
    paths: [],
  },
  {
    title: 'a creation whose response has half of its JSON is sent again, and an error is thrown for the last one',
    calls: [creation, creation],
    server: [halfOfBella, bellaAdded, halfOfBella],
    options: { attempts: 2 },
    outcomes: [onlyBella, expectError('connection_failed', { status: 201 })],
    // The first wait of each creation.
    waits: [between(0.5, 1), between(0.5, 1)],
  },
]

/** Responses to a request for a page that have no page, and no error of the API. */
const unexpectedResponses = [
  htmlPage,
  { status: 200, body: '{"id":1}' },
  { status: 200, body: '[[]]' },
  { status: 200, body: '[{"id":"1"}]' },
  { status: 200, body: '[{"id":true}]' },
  { status: 204, headers: { 'Content-Type': 'text/plain' } },
  { status: 304, body: '' },
  { status: 400, body: '{"code":1,"message":"a"}' },
  { status: 403, body: '<html>' },
]

/** URLs of another origin. Browsers and Node.js read a backslash as a slash. */
const foreignUrls = [
  'http://FOREIGN_HOST/v1/pets',
  '//FOREIGN_HOST/v1/pets',
  String.raw`/\FOREIGN_HOST/v1/pets`,
  'http://FOREIGN_HOST@FOREIGN_HOST/v1/pets',
  'file:///etc/hostname',
]
const redirects = [301, 302, 303, 307, 308]

const responses: readonly Case[] = [
  {
    title: 'a Retry-After that is neither whole seconds nor a date counts as none',
    calls: retryAfters.map(() => page),
    server: retryAfters.map(({ text }) => respondError(503, { 'Retry-After': text })),
    // Each error is thrown at once, because there is only one attempt.
    options: { attempts: 1 },
    outcomes: retryAfters.map(({ retryAfter }) => expectError('a_code', { status: 503, retryAfter })),
  },
  {
    title: 'a pet with a field of a later version is read',
    calls: [creation],
    server: [{ status: 201, body: { ...bellaInResponse, colour: 'brown' } }],
    outcomes: [{ pets: [brownBellaInReport] }],
  },
  {
    title: 'a redirect is not followed',
    calls: redirects.map(() => creation),
    server: redirects.map((status) => ({ status, headers: { Location: 'http://FOREIGN_HOST/v1/pets' } })),
    outcomes: redirects.map((status) => expectError('unexpected_response', { status })),
  },
  {
    title: 'a redirect to an invalid URL is reported as a redirect',
    calls: [page],
    server: [{ status: 302, headers: { Location: 'http://[' } }],
    outcomes: [expectError('unexpected_response', { status: 302 })],
  },
  {
    title: 'an error in HTML is retried by its status, and has no code of the API',
    calls: [page, page],
    server: [{ ...htmlPage, status: 502 }, emptyPage, { ...htmlPage, status: 403 }],
    outcomes: [noPets, expectError('unexpected_response', { status: 403 })],
    waits: randomWaits.slice(0, 1),
  },
  {
    title: 'the last value counts if a pet has a field twice',
    calls: [page],
    server: [{ status: 200, body: '[{"id":2,"id":1,"name":"Bella","categoryId":1,"status":"available"}]' }],
    outcomes: [onlyBella],
  },
  {
    title: 'a creation that gets a page of a proxy, in place of a response of the API, is sent once',
    calls: [creation],
    server: [htmlPage],
    outcomes: [expectError('unexpected_response', { status: 200 })],
  },
  {
    title: 'a response without a page of pets is unexpected',
    calls: unexpectedResponses.map(() => page),
    server: unexpectedResponses,
    outcomes: unexpectedResponses.map(({ status }) => expectError('unexpected_response', { status })),
  },
]

const lists: readonly Case[] = [
  {
    title: 'an empty list has no pets, and takes one request',
    calls: [{ pets: {} }],
    server: [emptyPage],
    outcomes: [noPets],
    paths: ['/v1/pets?limit=100'],
  },
  {
    title: 'only the cursor is taken from the link to the next page',
    calls: [{ pets: {} }],
    server: [
      ...foreignUrls.map((url, index) => respondPets([9 - index], `${url}?cursor=a%2C${index}`)),
      respondPets([1]),
    ],
    outcomes: [pets(9, 8, 7, 6, 5, 1)],
    paths: ['', '&cursor=a%2C0', '&cursor=a%2C1', '&cursor=a%2C2', '&cursor=a%2C3', '&cursor=a%2C4'].map(
      (cursor) => `/v1/pets?limit=100${cursor}`,
    ),
  },
  {
    title: 'the link to the next page is found in the second of two Link headers',
    calls: [{ pets: {} }],
    server: [
      { ...respondPets([2]), headers: { Link: ['</style.css>; rel="preload"', '</v1/pets?cursor=a>; rel="next"'] } },
      respondPets([1]),
    ],
    outcomes: [pets(2, 1)],
    paths: ['/v1/pets?limit=100', '/v1/pets?limit=100&cursor=a'],
  },
  {
    title: 'no further page is requested after the caller has left the loop',
    calls: [{ pets: {}, stopAfter: 1 }],
    server: [respondPets([2], '/v1/pets?cursor=a')],
    outcomes: [pets(2)],
  },
  {
    title: 'an error is thrown if a page links itself as the next one',
    calls: [{ pets: {} }],
    server: [respondPets([1], '/v1/pets?cursor=a')],
    outcomes: [expectError('unexpected_response', { status: 200 })],
    paths: ['/v1/pets?limit=100', '/v1/pets?limit=100&cursor=a'],
  },
  {
    title: 'an error is thrown if the link to the next page has no cursor',
    calls: [{ pets: {} }],
    server: [respondPets([1], '/v1/pets?limit=100')],
    outcomes: [expectError('unexpected_response', { status: 200 })],
  },
]

/** Paths of the requests for the two pages of `twoPages`. */
const firstPage = '/v1/pets?limit=100'
const secondPage = '/v1/pets?limit=100&cursor=a%2Cb'
const twoPages = [respondPets([2], '/v1/pets?cursor=a%2Cb'), respondPets([1])]

const following: readonly Case[] = [
  {
    title: 'new pets are followed from an id on, until the signal to end',
    calls: [{ follow: { after: 40 }, stopAfter: 3 }],
    server: [respondPets([50, 40, 30]), respondPets([50, 40, 30]), respondPets([70, 60, 50, 40, 30])],
    outcomes: [pets(50, 70, 60)],
    waits: [exactly(120), exactly(120)],
  },
  {
    title: 'following waits until the next day when the requests of a day are used up, and goes on at the same page',
    calls: [{ follow: {}, stopAfter: 4 }],
    server: [
      respondPets([50], '/v1/pets?cursor=a%2Cb'),
      respondError(429, { 'Retry-After': '40000' }),
      respondPets([40]),
      respondError(429, { 'Retry-After': '30000' }),
      respondPets([70, 60, 50], '/v1/pets?cursor=a%2Cb'),
    ],
    outcomes: [pets(50, 40, 70, 60)],
    waits: [afterRetryAfter(40_000), exactly(120), afterRetryAfter(30_000)],
    paths: [firstPage, secondPage, secondPage, firstPage, firstPage],
  },
  // A poll stops at a pet that was first seen more than a minute before the previous poll. In the third poll that is
  // the first pet if the interval is more than 60 s.
  {
    title: 'at an interval of 60 s the third poll reads the second page too, and the signal ends the wait after it',
    calls: [{ follow: { intervalSeconds: 60 }, stopInWait: 3 }],
    server: [...twoPages, ...twoPages, ...twoPages],
    outcomes: [pets(2, 1)],
    waits: [exactly(60), exactly(60), exactly(60)],
    paths: [firstPage, secondPage, firstPage, secondPage, firstPage, secondPage],
  },
  {
    title: 'at an interval of 61 s the third poll reads the first page alone, and the signal ends the wait after it',
    calls: [{ follow: { intervalSeconds: 61 }, stopInWait: 3 }],
    server: [...twoPages, ...twoPages, ...twoPages],
    outcomes: [pets(2, 1)],
    waits: [exactly(61), exactly(61), exactly(61)],
    paths: [firstPage, secondPage, firstPage, secondPage, firstPage],
  },
]

export const cases: readonly Case[] = [...retries, ...incompleteResponses, ...responses, ...lists, ...following]

interface Refusal {
  readonly setting: string
  readonly options?: Partial<Job['options']>
  readonly call?: Call
}

/** Settings that cannot work. Both clients refuse them before the first request. */
export const refusals: readonly Refusal[] = [
  { setting: 'NaN attempts', options: { attempts: Number.NaN } },
  { setting: 'a time limit of NaN', options: { timeoutSeconds: Number.NaN } },
  { setting: 'a longest wait of NaN', options: { longestWaitSeconds: Number.NaN } },
  { setting: 'no API key', options: { apiKey: '' } },
  { setting: 'an API key with a line feed', options: { apiKey: 'secret\n' } },
  { setting: 'an API key beyond ASCII', options: { apiKey: 'secreté' } },
  { setting: 'a base URL without a host', options: { baseUrl: '/v1' } },
  { setting: 'a base URL of another scheme', options: { baseUrl: 'ftp://127.0.0.1/v1' } },
  { setting: 'a base URL with a password', options: { baseUrl: 'http://name:password@127.0.0.1/v1' } },
  { setting: 'a base URL with a query', options: { baseUrl: 'http://127.0.0.1/v1?a=b' } },
  { setting: 'a base URL with a port of six digits', options: { baseUrl: 'http://127.0.0.1:999999/v1' } },
  { setting: 'an interval below 0', call: { follow: { intervalSeconds: -1 }, stopAfter: 1 } },
  { setting: 'an empty Idempotency-Key', call: { create: bella, idempotencyKey: '' } },
  { setting: 'an Idempotency-Key of 256 characters', call: { create: bella, idempotencyKey: 'a'.repeat(256) } },
  { setting: 'an Idempotency-Key with a line feed', call: { create: bella, idempotencyKey: 'a\nb' } },
  { setting: 'an Idempotency-Key with a blank at its end', call: { create: bella, idempotencyKey: 'a ' } },
  { setting: 'an Idempotency-Key beyond ASCII', call: { create: bella, idempotencyKey: 'é' } },
]
