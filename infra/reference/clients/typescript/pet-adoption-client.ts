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
  /** @default the one of the runtime */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Waits, or rejects with the signal's reason when it is aborted. @default a timer */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Gives a number from 0 to below 1, which spreads the retries of many clients. @default Math.random */
  readonly random?: () => number
}

/**
 * The operations of the API by method and path: `client.GET('/pets')` gives `data` or `error`, both typed.
 *
 * A request is sent again when its answer was lost on the way, and when the answer says by `Retry-After`
 * from when on it is worth it: the limit is used up (429), the service cannot reach its data (503), or an
 * earlier attempt is still running (409). It never goes earlier than that. A longer wait than
 * `longestWaitSeconds` is not begun: then the answer is yours at once.
 *
 * To add a pet again would add a second one, so every POST carries an `Idempotency-Key`, the same in all its
 * attempts: one that you give, or a new one. The service adds one pet for it. Give your own when a request
 * shall be known again after your program has restarted.
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

/**
 * Every pet that a query asks for, the newest first, page by page as they are used. Pets that are added
 * meanwhile make it neither skip nor repeat one.
 *
 * @throws PetAdoptionError when the API refuses a page.
 */
export async function* pets(
  client: PetAdoptionClient,
  query: PetQuery = {},
  { signal = null }: { readonly signal?: AbortSignal | null } = {},
): AsyncGenerator<Pet, void, undefined> {
  let middleware: Middleware[] = []
  for (;;) {
    const answer = await client.GET('/pets', { params: { query: { limit: 100, ...query } }, signal, middleware })
    yield* await dataOf(answer)
    const next = nextPage(answer.response)
    if (next === undefined) return
    // The address is sent as the API gave it.
    middleware = [{ onRequest: ({ request }) => new Request(next, request) }]
  }
}

type Answer<Data> = { readonly data?: Data; readonly error?: unknown; readonly response: Response }

/**
 * What an operation gave: `const pet = await dataOf(client.POST('/pets', { body }))`.
 *
 * @throws PetAdoptionError when it gave an error.
 */
export const dataOf = async <Data>(answer: Answer<Data> | Promise<Answer<Data>>): Promise<Data> => {
  const { data, error, response } = await answer
  if (data === undefined) throw new PetAdoptionError(response.status, error)
  return data
}

/** An error that the API answered. */
export class PetAdoptionError extends Error {
  override readonly name = 'PetAdoptionError'
  /** The HTTP status. */
  readonly status: number
  /** Undefined where something between you and the API answered in its place. */
  readonly code: ErrorBody['code'] | undefined

  constructor(status: number, body: unknown) {
    const known = isErrorBody(body) ? body : undefined
    super(known?.message ?? `The answer has the status ${status} and no body of this API.`)
    this.status = status
    this.code = known?.code
  }
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' && body !== null && 'code' in body && 'message' in body && typeof body.message === 'string'

/** The address of the next page (RFC 8288). The API key goes to no other host than the one that answered. */
const nextPage = (response: Response): URL | undefined => {
  const links = (response.headers.get('Link') ?? '').matchAll(/<([^<>]*)>((?:[^<>",]|"[^"]*")*)/g)
  for (const [, target = '', parameters = ''] of links) {
    if (!relationsOf(parameters).includes('next')) continue
    const next = new URL(target, response.url)
    if (next.origin === new URL(response.url).origin) return next
    throw new Error(`The next page is at ${next.origin}, which is not where this one came from.`)
  }
  return undefined
}

const relationsOf = (parameters: string): string[] =>
  [...parameters.matchAll(/;\s*([^\s=;]+)\s*=\s*(?:"([^"]*)"|([^\s;"]+))/g)]
    .filter(([, name]) => name?.toLowerCase() === 'rel')
    .flatMap(([, , quoted, token = '']) => (quoted ?? token).toLowerCase().split(/\s+/))

const withRetries = (options: PetAdoptionClientOptions) => {
  const { attempts = 6, longestWaitSeconds = 120, fetch = globalThis.fetch } = options
  const { sleep = wait, random = Math.random } = options
  return async (request: Request): Promise<Response> => {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', crypto.randomUUID())
    }
    let waited = 0
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await send(request, fetch)
      const backoffSeconds = 0.25 * 2 ** attempt * (1 - random() / 2)
      const milliseconds = (outcome.retryAfterSeconds + backoffSeconds) * 1_000
      const isWorthIt = Number.isFinite(milliseconds) && waited + milliseconds <= longestWaitSeconds * 1_000
      if (attempt >= attempts || !isWorthIt) return outcome.end()
      waited += milliseconds
      await sleep(milliseconds, request.signal)
    }
  }
}

interface Outcome {
  /** Infinite for an answer that another attempt would not change. */
  readonly retryAfterSeconds: number
  /** Gives the answer, or throws what kept it away. */
  readonly end: () => Response
}

const send = async (request: Request, fetch: (request: Request) => Promise<Response>): Promise<Outcome> => {
  try {
    const response = await fetch(request.clone())
    const answer = readExactly(response, await response.text(), request.url)
    return { retryAfterSeconds: retryAfterSeconds(response), end: () => answer }
  } catch (error) {
    const end = () => {
      throw error
    }
    return { retryAfterSeconds: request.signal.aborted ? Number.POSITIVE_INFINITY : 0, end }
  }
}

const retryAfterSeconds = ({ ok, headers }: Response): number => {
  const seconds = headers.get('Retry-After') ?? ''
  return !ok && /^\d+$/.test(seconds) ? Number(seconds) : Number.POSITIVE_INFINITY
}

/** An answer whose JSON is read exactly. openapi-fetch asks `json` of an answer that says how long it is. */
const readExactly = (response: Response, text: string, requested: string): Response => {
  const { status, statusText, url } = response
  const headers = new Headers(response.headers)
  headers.set('Content-Length', String(new TextEncoder().encode(text).length))
  const answer = new Response(text === '' ? null : text, { status, statusText, headers })
  return Object.defineProperties(answer, {
    url: { value: url || requested },
    json: { value: async () => JSON.parse(text, exactInteger) },
  })
}

/** The third argument, the number as it was written, is new in JavaScript and not in TypeScript's library. */
const exactInteger = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !Number.isInteger(value)) return value
  if (context?.source === undefined) throw new TypeError(tooOld)
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value
}

const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? exactJson(part) : part))

const exactJson = (integer: bigint): unknown => {
  // As new as the above.
  const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => unknown }
  if (rawJSON === undefined) throw new TypeError(tooOld)
  return rawJSON(integer.toString())
}

const tooOld = 'This JavaScript runtime has no exact integers in JSON. Take Node.js 22 or later, or a newer browser.'

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
