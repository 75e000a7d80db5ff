/**
 * A client of the Pet Adoption API. Copy this file and `pet-adoption-api.ts` beside it into your
 * project, and `npm install openapi-fetch@0.17`. It runs on Node.js 22 and in browsers since 2025;
 * older ones can use it, but for integers beyond 2^53.
 */
import createClient, { type Client, type Middleware } from 'openapi-fetch'
import type { components, operations, paths } from './pet-adoption-api.js'

export type Pet = components['schemas']['Pet']
export type NewPet = components['schemas']['NewPet']
export type PetStatus = components['schemas']['PetStatus']
export type PetQuery = NonNullable<operations['listPets']['parameters']['query']>
export type ErrorBody = components['schemas']['Error']

export type PetAdoptionClient = Client<paths>

export interface PetAdoptionClientOptions {
  /** Where the API is; it ends in `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** How often a request is sent, at most. @default 6 */
  readonly attempts?: number
  /** How many seconds a request waits between its attempts, at most and in all. @default 120 */
  readonly longestWaitSeconds?: number
  /** How many seconds an attempt takes at most, from the connection to the last byte of the response. @default 30 */
  readonly timeoutSeconds?: number
  /** Is called before each wait. When it throws, the request ends with that error. */
  readonly onWait?: (wait: Wait) => void
  /** Waits, or rejects with the signal's reason when it is aborted. @default a timer */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** A wait between two attempts of a request. */
export interface Wait {
  readonly seconds: number
  /** The number of the attempt before it. The first one is 1. */
  readonly attempt: number
  /** The HTTP status of that attempt. Undefined when its response was lost. */
  readonly status: number | undefined
}

/**
 * The operations of the API by method and path: `client.GET('/pets')` gives `data` or `error`, both typed.
 *
 * A request is retried when its response was lost or took longer than `timeoutSeconds`, and when the response
 * has a `Retry-After`: the limit is used up (429), the service cannot reach its data (503), or an earlier
 * attempt is still running (409). It is never retried before that time. If the wait would be longer than
 * `longestWaitSeconds`, the client does not wait, and you get the response at once.
 *
 * A POST that is sent twice would add two pets, so every POST carries an `Idempotency-Key`, the same in all its
 * attempts: yours, or a new one. The service adds one pet for it. Give your own when a request must be
 * recognized after your program has restarted.
 *
 * The API key is sent only to the origin (scheme, host and port) of `baseUrl`. A request to another origin
 * throws. Redirects are not followed: one is an error. Browsers hide its status, so there it is 0.
 *
 * An integer is a `number`, and beyond 2^53, where numbers are not exact, a `bigint`.
 */
export const createPetAdoptionClient = (options: PetAdoptionClientOptions): PetAdoptionClient =>
  createClient<paths>({
    baseUrl: options.baseUrl,
    headers: { Authorization: `Bearer ${options.apiKey}` },
    bodySerializer: writeJson,
    fetch: withRetries(options),
  })

/** What the headers say about the key's limits: of the window, minute or day, that has fewer requests remaining. */
export interface Limits {
  readonly limit: number
  readonly remaining: number
  /** When the window ends, in Unix seconds. */
  readonly reset: number
}

export interface Page {
  readonly pets: readonly Pet[]
  /** The `cursor` of the next page. Undefined on the last page. */
  readonly nextCursor: string | undefined
  /** Undefined when the response does not have the headers. */
  readonly limits: Limits | undefined
}

interface Stop {
  /** Ends the request or the wait. The error is the signal's reason. */
  readonly signal?: AbortSignal | null
}

/**
 * One page of pets, the newest first.
 *
 * @throws PetAdoptionError when the API refuses it.
 */
export const page = async (
  client: PetAdoptionClient,
  query: PetQuery = {},
  { signal = null }: Stop = {},
): Promise<Page> => {
  const result = await client.GET('/pets', { params: { query }, signal })
  const { response } = result
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
    wholeNumber(response.headers.get(`X-RateLimit-${name}`)),
  )
  const isTold = limit !== undefined && remaining !== undefined && reset !== undefined
  return {
    pets: await dataOf(result),
    nextCursor: nextPage(response)?.searchParams.get('cursor') ?? undefined,
    limits: isTold ? { limit, remaining, reset } : undefined,
  }
}

/**
 * Every pet that a query asks for, the newest first, page by page as they are used. Pets that are added
 * meanwhile make it neither skip nor repeat one. To stop early, leave the loop, or abort the signal.
 *
 * @throws PetAdoptionError when the API refuses a page.
 */
export async function* pets(
  client: PetAdoptionClient,
  query: PetQuery = {},
  { signal = null }: Stop = {},
): AsyncGenerator<Pet, void, undefined> {
  let middleware: Middleware[] = []
  const visited = new Set<string>()
  for (;;) {
    const result = await client.GET('/pets', { params: { query: { limit: 100, ...query } }, signal, middleware })
    yield* await dataOf(result)
    const next = nextPage(result.response)
    if (next === undefined) return
    visited.add(result.response.url)
    if (visited.has(next.href)) throw new Error(`The pages do not end: ${next.href} is the next page again.`)
    // The address is sent as the API gave it. The signal is given again, because a copy of a request can lose it (below).
    middleware = [{ onRequest: ({ request }) => new Request(new Request(next, request), { signal }) }]
  }
}

type Result<Data> = { readonly data?: Data; readonly error?: unknown; readonly response: Response }

/**
 * What an operation gave: `const pet = await dataOf(client.POST('/pets', { body }))`.
 *
 * @throws PetAdoptionError when it gave an error.
 */
export const dataOf = async <Data>(result: Result<Data> | Promise<Result<Data>>): Promise<Data> => {
  const { data, error, response } = await result
  if (data === undefined) throw new PetAdoptionError(response.status, error, retryAfterOf(response))
  return data
}

/** A response of the API with an error, or a response that is not of the API. */
export class PetAdoptionError extends Error {
  override readonly name = 'PetAdoptionError'
  /** The HTTP status. */
  readonly status: number
  /** Undefined when the response is not of the API: something between you and the API sent it. */
  readonly code: ErrorBody['code'] | undefined
  /** How many seconds to wait before the next request. Undefined when the response does not say it. */
  readonly retryAfter: number | undefined

  constructor(status: number, body: unknown, retryAfter?: number) {
    const known = isErrorBody(body) ? body : undefined
    super(known?.message ?? `The response has the status ${status} and no body of this API.`)
    this.status = status
    this.code = known?.code
    this.retryAfter = retryAfter
  }
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' && body !== null && 'code' in body && 'message' in body && typeof body.message === 'string'

/** The address of the next page (RFC 8288). */
const nextPage = (response: Response): URL | undefined => {
  const links = (response.headers.get('Link') ?? '').matchAll(/<([^<>]*)>((?:[^<>",]|"[^"]*")*)/g)
  for (const [, target = '', parameters = ''] of links) {
    if (relationsOf(parameters).includes('next')) return new URL(target, response.url)
  }
  return undefined
}

const relationsOf = (parameters: string): string[] =>
  [...parameters.matchAll(/;\s*([^\s=;]+)\s*=\s*(?:"([^"]*)"|([^\s;"]+))/g)]
    .filter(([, name]) => name?.toLowerCase() === 'rel')
    .flatMap(([, , quoted, token = '']) => (quoted ?? token).toLowerCase().split(/\s+/))

const withRetries = (options: PetAdoptionClientOptions) => {
  const { attempts = 6, longestWaitSeconds = 120, timeoutSeconds = 30, sleep = wait } = options
  // A request resolves a base URL that is relative to the page.
  const { origin } = new URL(new Request(options.baseUrl).url)
  return async (request: Request): Promise<Response> => {
    const target = new URL(request.url).origin
    if (target !== origin) throw new Error(`The API key is for ${origin}. It is not sent to ${target}.`)
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', crypto.randomUUID())
    }
    const longestWait = Math.min(longestWaitSeconds * 1_000, longestTimer)
    let waited = 0
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await send(request, timeoutSeconds)
      const backoffSeconds = 0.25 * 2 ** attempt * (1 - Math.random() / 2)
      const milliseconds = (outcome.retryAfterSeconds + backoffSeconds) * 1_000
      if (attempt >= attempts || waited + milliseconds > longestWait) return outcome.end()
      waited += milliseconds
      options.onWait?.({ seconds: milliseconds / 1_000, attempt, status: outcome.status })
      await sleep(milliseconds, request.signal)
    }
  }
}

/** A timer of more milliseconds than this fires at once. */
const longestTimer = 2 ** 31 - 1

interface Outcome {
  readonly status: number | undefined
  /** Infinite when another attempt would not change it. */
  readonly retryAfterSeconds: number
  /** Gives the response, or throws the error that lost it. */
  readonly end: () => Response
}

const send = async (request: Request, timeoutSeconds: number): Promise<Outcome> => {
  try {
    const response = await withTimeout(timeoutSeconds, request.signal, async (signal) => {
      const received = await fetch(new Request(request.clone(), { redirect: 'manual', signal }))
      return received.type === 'opaqueredirect'
        ? received
        : readExactly(received, await readText(received), request.url)
    })
    const seconds = response.ok ? undefined : retryAfterOf(response)
    return { status: response.status, retryAfterSeconds: seconds ?? Number.POSITIVE_INFINITY, end: () => response }
  } catch (error) {
    const end = () => {
      throw error
    }
    return { status: undefined, retryAfterSeconds: request.signal.aborted ? Number.POSITIVE_INFINITY : 0, end }
  }
}

/**
 * Gives `work` a signal that is aborted with the caller's signal, and when the time is over. It does not wait for
 * `work` to notice: in Node.js a copied Request loses its signal when its original is garbage-collected.
 */
const withTimeout = async <Result>(
  seconds: number,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const controller = new AbortController()
  const { signal } = controller
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  const abort = () => controller.abort(caller.reason)
  const timeout = () => controller.abort(new DOMException(`No response within ${seconds} s.`, 'TimeoutError'))
  const timer = setTimeout(timeout, Math.min(seconds * 1_000, longestTimer))
  caller.addEventListener('abort', abort)
  if (caller.aborted) abort()
  try {
    return await Promise.race([work(signal), aborted])
  } finally {
    clearTimeout(timer)
    caller.removeEventListener('abort', abort)
  }
}

const retryAfterOf = ({ headers }: Response): number | undefined => wholeNumber(headers.get('Retry-After'))

const wholeNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined

/** API Gateway sends 10 MB at most. A longer body is not of the API, and is not read to its end. */
const largestBody = 10 * 2 ** 20

const readText = async ({ body }: Response): Promise<string> => {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let size = 0; size <= largestBody; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return text
}

/** A response whose JSON is read exactly. openapi-fetch calls `json` when the length is known. */
const readExactly = (received: Response, text: string, url: string): Response => {
  const { status, statusText } = received
  const headers = new Headers(received.headers)
  headers.set('Content-Length', String(new TextEncoder().encode(text).length))
  const response = new Response(text === '' ? null : text, { status, statusText, headers })
  return Object.defineProperties(response, {
    url: { value: url },
    json: { value: async () => parseJson(text, status) },
  })
}

const parseJson = (text: string, status: number): unknown => {
  try {
    return JSON.parse(text, exactInteger)
  } catch (error) {
    throw error instanceof SyntaxError ? new PetAdoptionError(status, undefined) : error
  }
}

/** The third argument has the number as it was written. TypeScript's library does not have it yet. */
const exactInteger = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !Number.isInteger(value)) return value
  if (context?.source === undefined) throw new TypeError(tooOld)
  // No int64 has more digits. To read millions of them would take seconds.
  return /^-?\d{1,19}$/.test(context.source) ? BigInt(context.source) : value
}

const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? exactJson(part) : part))

const exactJson = (integer: bigint): unknown => {
  // TypeScript's library does not have it yet either.
  const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => unknown }
  if (rawJSON === undefined) throw new TypeError(tooOld)
  return rawJSON(integer.toString())
}

const tooOld = 'This JavaScript runtime has no exact integers in JSON. Use Node.js 22 or later, or a newer browser.'

const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
