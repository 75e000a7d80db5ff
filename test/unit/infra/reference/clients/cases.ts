import type { Call, ErrorReport, Job, NewPet, Outcome } from './drivers.ts'
import type { CannedResponse, Treatment } from './run-client.ts'

/** One call of a client, the responses that it gets, and what comes of it. Both clients pass every case. */
export interface Case {
  readonly title: string
  readonly call: Call
  /** Treatment of each request. Further requests get the last one. */
  readonly server: readonly Treatment[]
  readonly options?: Partial<Job['options']>
  readonly outcome: Outcome
  /** Range of the seconds between two attempts or polls, for each wait. */
  readonly waits: readonly Range[]
  /** Requests that the client sends. @default one more than the waits */
  readonly requests?: number
}

/** A wait is random within its range. */
type Range = readonly [shortest: number, longest: number]

export const bella: NewPet = { name: 'Bella', categoryId: '1' }
export const storedBella = { id: 1, name: 'Bella', categoryId: 1, status: 'available' }
const bellaAdded = { status: 201, body: storedBella }
const readBella = { id: 1, name: 'Bella', categoryId: '1', status: 'available' } as const
const onlyBella: Outcome = { pets: [readBella] }
/** The clients pass a field on that they do not know. */
const brownBella = { ...readBella, colour: 'brown' }

const page: Call = { page: {} }
const creation: Call = { create: bella }
const noPets: Outcome = { pets: [] }
const emptyPage = { status: 200, body: [] }

/** Waits between attempts without a `Retry-After`, from the first on. */
const randomWaits: readonly Range[] = [
  [0.5, 1],
  [1, 2],
  [2, 4],
  [4, 8],
  [8, 16],
  [16, 32],
  [32, 64],
  [32, 64],
  [32, 64],
]

const respondError = (status: number, headers: CannedResponse['headers'] = {}): CannedResponse => ({
  status,
  headers,
  body: { code: 'a_code', message: 'Later.', status },
})

/** Outcome of a call: an error of the API, or of the client if it got no response. */
export const fail = (code: string, details: Partial<ErrorReport> = {}): Outcome => ({
  error: { code, status: null, requestId: null, retryAfter: null, ...details },
})

/** Responds with pets by their ids, and with a link to the next page if it has a URL. */
const respondPets = (ids: readonly number[], nextUrl?: string): CannedResponse => ({
  status: 200,
  headers: nextUrl === undefined ? {} : { Link: `<${nextUrl}>; rel="next"` },
  body: ids.map((id) => ({ ...storedBella, id })),
})

const pets = (...ids: readonly number[]): Outcome => ({ pets: ids.map((id) => ({ ...readBella, id })) })

/** Passes the request on to the API, and ends the connection without its response. */
export const loseResponse: Treatment = async (request, forward) => {
  await forward(request)
  return undefined
}

const never = new Promise<never>(() => {})

/** Sends the beginning of a body, and then what the promise brings. */
const respondInParts =
  (rest: () => Promise<string>): Treatment =>
  async () => {
    const body = async function* () {
      yield '['
      yield await rest()
    }
    return { status: 200, headers: [], body: body() }
  }

/** URLs of another origin. */
export const foreignUrls = [
  'http://FOREIGN_HOST/v1/pets',
  '//FOREIGN_HOST/v1/pets',
  String.raw`/\FOREIGN_HOST/v1/pets`,
  'http://FOREIGN_HOST@FOREIGN_HOST/v1/pets',
  'file:///etc/hostname',
]

const retriedStatuses = [429, 500, 502, 503, 504]
const finalStatuses = [400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 501]

const retries: readonly Case[] = [
  ...retriedStatuses.map(
    (status): Case => ({
      title: `a request that gets ${status} is sent again after the time of Retry-After`,
      call: page,
      server: [respondError(status, { 'Retry-After': '17' }), emptyPage],
      outcome: noPets,
      waits: [[17, 20.4]],
    }),
  ),
  ...retriedStatuses.map(
    (status): Case => ({
      title: `a creation that gets ${status} without a valid Retry-After is sent again after a random time`,
      call: creation,
      server: [respondError(status), respondError(status, { 'Retry-After': 'soon' }), bellaAdded],
      outcome: onlyBella,
      waits: randomWaits.slice(0, 2),
    }),
  ),
  ...finalStatuses.map(
    (status): Case => ({
      title: `a request that gets ${status} is sent once`,
      call: creation,
      server: [respondError(status, { 'Retry-After': '1' })],
      outcome: fail('a_code', { status, retryAfter: 1 }),
      waits: [],
    }),
  ),
  {
    title: 'the error of the eighth attempt is thrown',
    call: page,
    server: [respondError(503)],
    outcome: fail('a_code', { status: 503 }),
    waits: randomWaits.slice(0, 7),
  },
  {
    title: 'the random time between two attempts grows to 64 seconds at most',
    call: page,
    server: [respondError(503)],
    options: { attempts: 10 },
    outcome: fail('a_code', { status: 503 }),
    waits: randomWaits,
  },
  {
    title: 'a Retry-After of two minutes is waited for',
    call: page,
    server: [respondError(429, { 'Retry-After': '120' }), emptyPage],
    outcome: noPets,
    waits: [[120, 144]],
  },
  {
    title: 'a longer Retry-After than two minutes is thrown at once',
    call: page,
    server: [respondError(429, { 'Retry-After': '121' })],
    outcome: fail('a_code', { status: 429, retryAfter: 121 }),
    waits: [],
  },
  {
    title: 'a longer Retry-After than the longest wait is thrown at once',
    call: page,
    server: [respondError(429, { 'Retry-After': '17' })],
    options: { longestWaitSeconds: 16 },
    outcome: fail('a_code', { status: 429, retryAfter: 17 }),
    waits: [],
  },
]

/** Values of `Retry-After`. Those that are no whole seconds count as none. */
const retryAfters: readonly Case[] = [
  { text: 'NaN', retryAfter: null },
  { text: '-5', retryAfter: null },
  { text: '1.5', retryAfter: null },
  { text: '1e3', retryAfter: null },
  { text: '99999999999999', retryAfter: null },
  { text: 'Wed, 21 Oct 2099 07:28:00 GMT', retryAfter: null },
  { text: ' 5 ', retryAfter: 5 },
].map(({ text, retryAfter }) => ({
  title: `Retry-After of "${text}" is ${retryAfter} seconds`,
  call: page,
  server: [respondError(503, { 'Retry-After': text })],
  options: { attempts: 1 },
  outcome: fail('a_code', { status: 503, retryAfter }),
  waits: [],
}))

/** Responses that are lost in part, each for the first attempt and for all. */
const incompleteResponses: readonly Case[] = [
  { problem: 'is lost', treatment: loseResponse, code: 'connection_failed', timeoutSeconds: 30 },
  {
    problem: 'is cut off',
    treatment: respondInParts(() => Promise.reject(new Error('cut off'))),
    code: 'connection_failed',
    timeoutSeconds: 30,
  },
  { problem: 'never begins', treatment: () => never, code: 'timed_out', timeoutSeconds: 0.5 },
  { problem: 'stalls in its body', treatment: respondInParts(() => never), code: 'timed_out', timeoutSeconds: 0.5 },
].flatMap(({ problem, treatment, code, timeoutSeconds }): readonly Case[] => [
  {
    title: `a creation whose response ${problem} is sent again`,
    call: creation,
    server: [treatment, bellaAdded],
    options: { timeoutSeconds, attempts: 2 },
    outcome: onlyBella,
    waits: randomWaits.slice(0, 1),
  },
  {
    title: `an error is thrown if the last response ${problem}`,
    call: page,
    server: [treatment],
    options: { timeoutSeconds, attempts: 2 },
    outcome: fail(code),
    waits: randomWaits.slice(0, 1),
  },
])

/** Half of the JSON of a pet. Without a Content-Length, the client cannot know that there was more. */
const halfOfBella = { status: 201, body: JSON.stringify(storedBella).slice(0, 20) }

const cutCreations: readonly Case[] = [
  {
    title: 'a creation whose response has half of its JSON is sent again',
    call: creation,
    server: [halfOfBella, bellaAdded],
    outcome: onlyBella,
    waits: randomWaits.slice(0, 1),
  },
  {
    title: 'an error is thrown if the last response to a creation has half of its JSON',
    call: creation,
    server: [halfOfBella],
    options: { attempts: 2 },
    outcome: fail('connection_failed', { status: 201 }),
    waits: randomWaits.slice(0, 1),
  },
]

const responses: readonly Case[] = [
  {
    title: 'a pet with a field of a later version is read',
    call: creation,
    server: [{ status: 201, body: { ...storedBella, colour: 'brown' } }],
    outcome: { pets: [brownBella] },
    waits: [],
  },
  {
    title: 'an error has the id of the request',
    call: page,
    server: [respondError(400, { 'x-amzn-RequestId': 'an-id' })],
    outcome: fail('a_code', { status: 400, requestId: 'an-id' }),
    waits: [],
  },
  ...[301, 302, 303, 307, 308].flatMap((status) =>
    foreignUrls.map(
      (url): Case => ({
        title: `a redirect ${status} to ${url} is not followed`,
        call: creation,
        server: [{ status, headers: { Location: url } }],
        outcome: fail('unexpected_response', { status }),
        waits: [],
      }),
    ),
  ),
  ...[
    { status: 200, body: '' },
    { status: 200, body: '<html>' },
    { status: 200, body: '[{"id":1}' },
    { status: 200, body: '{"id":1}' },
    { status: 200, body: '[[]]' },
    { status: 200, body: '[{"id":"1"}]' },
    { status: 200, body: '[{"id":true}]' },
    { status: 204, body: '' },
    { status: 304, body: '' },
    { status: 400, body: '{"code":1,"message":"a"}' },
    { status: 403, body: '<html>' },
  ].map(
    ({ status, body }): Case => ({
      title: `a response ${status} with the body "${body}" is unexpected`,
      call: page,
      server: [{ status, body }],
      outcome: fail('unexpected_response', { status }),
      waits: [],
    }),
  ),
]

const lists: readonly Case[] = [
  ...foreignUrls.map(
    (url): Case => ({
      title: `only the cursor is taken from a Link to ${url}`,
      call: { pets: {} },
      server: [respondPets([2], `${url}?cursor=a%2Cb`), respondPets([1])],
      outcome: pets(2, 1),
      waits: [],
      requests: 2,
    }),
  ),
  {
    title: 'the link to the next page is found in the second of two Link headers',
    call: { pets: {} },
    server: [
      { ...respondPets([2]), headers: { Link: ['</style.css>; rel="preload"', '</v1/pets?cursor=a>; rel="next"'] } },
      respondPets([1]),
    ],
    outcome: pets(2, 1),
    waits: [],
    requests: 2,
  },
  {
    title: 'no further page is requested after the caller has left the loop',
    call: { pets: {}, stopAfter: 1 },
    server: [respondPets([2], '/v1/pets?cursor=a')],
    outcome: pets(2),
    waits: [],
    requests: 1,
  },
  {
    title: 'an error is thrown if a page links itself as the next one',
    call: { pets: {} },
    server: [respondPets([1], '/v1/pets?cursor=a')],
    outcome: fail('unexpected_response', { status: 200 }),
    waits: [],
    requests: 2,
  },
  {
    title: 'an error is thrown if the link to the next page has no cursor',
    call: { pets: {} },
    server: [respondPets([1], '/v1/pets?limit=100')],
    outcome: fail('unexpected_response', { status: 200 }),
    waits: [],
    requests: 1,
  },
  {
    title: 'new pets are followed from an id on, until the signal to end',
    call: { follow: { after: 40 }, stopAfter: 3 },
    server: [respondPets([50, 40, 30]), respondPets([50, 40, 30]), respondPets([70, 60, 50, 40, 30])],
    outcome: pets(50, 70, 60),
    waits: [
      [120, 120],
      [120, 120],
    ],
  },
  {
    title: 'following waits until the next day when the requests of a day are used up, and goes on at the same page',
    call: { follow: {}, stopAfter: 4 },
    server: [
      respondPets([50], '/v1/pets?cursor=a'),
      respondError(429, { 'Retry-After': '40000' }),
      respondPets([40]),
      respondError(429, { 'Retry-After': '30000' }),
      respondPets([70, 60, 50], '/v1/pets?cursor=a'),
    ],
    outcome: pets(50, 40, 70, 60),
    waits: [
      [40_000, 48_000],
      [120, 120],
      [30_000, 36_000],
    ],
    requests: 5,
  },
]

export const cases: readonly Case[] = [
  ...retries,
  ...retryAfters,
  ...incompleteResponses,
  ...cutCreations,
  ...responses,
  ...lists,
]

interface Refusal {
  readonly setting: string
  readonly options?: Partial<Job['options']>
  readonly call?: Call
}

/** Settings that cannot work. Both clients refuse them before the first request. */
export const refusals: readonly Refusal[] = [
  { setting: 'no attempt', options: { attempts: 0 } },
  { setting: 'NaN attempts', options: { attempts: Number.NaN } },
  { setting: 'a time limit of 0', options: { timeoutSeconds: 0 } },
  { setting: 'a time limit of NaN', options: { timeoutSeconds: Number.NaN } },
  { setting: 'a longest wait below 0', options: { longestWaitSeconds: -1 } },
  { setting: 'a longest wait of NaN', options: { longestWaitSeconds: Number.NaN } },
  { setting: 'no API key', options: { apiKey: '' } },
  { setting: 'an API key with a line feed', options: { apiKey: 'secret\n' } },
  { setting: 'an API key beyond ASCII', options: { apiKey: 'secreté' } },
  { setting: 'no base URL', options: { baseUrl: '' } },
  { setting: 'a base URL without a host', options: { baseUrl: '/v1' } },
  { setting: 'a base URL of another scheme', options: { baseUrl: 'ftp://127.0.0.1/v1' } },
  { setting: 'a base URL with a password', options: { baseUrl: 'http://name:password@127.0.0.1/v1' } },
  { setting: 'a base URL with a query', options: { baseUrl: 'http://127.0.0.1/v1?a=b' } },
  { setting: 'a base URL with a blank in its host', options: { baseUrl: 'http://127.0. 0.1/v1' } },
  { setting: 'a base URL with a port of six digits', options: { baseUrl: 'http://127.0.0.1:999999/v1' } },
  { setting: 'an interval below 0', call: { follow: { intervalSeconds: -1 }, stopAfter: 1 } },
  { setting: 'an empty Idempotency-Key', call: { create: bella, idempotencyKey: '' } },
  { setting: 'an Idempotency-Key of 256 characters', call: { create: bella, idempotencyKey: 'a'.repeat(256) } },
  { setting: 'an Idempotency-Key with a line feed', call: { create: bella, idempotencyKey: 'a\nb' } },
  { setting: 'an Idempotency-Key with a blank at its end', call: { create: bella, idempotencyKey: 'a ' } },
  { setting: 'an Idempotency-Key beyond ASCII', call: { create: bella, idempotencyKey: 'é' } },
]
