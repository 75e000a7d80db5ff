/**
 * A client of the Pet Adoption API. Copy this file and `pet-adoption-api.generated.ts` beside it into your project, and
 * `npm install openapi-fetch@0.17`. It runs on Node.js 22 or later.
 *
 * A request is sent again when no response came, and after 409, 429, 500, 503 and 504: after the time that `Retry-After` gives,
 * or a random time that grows. A POST carries an `Idempotency-Key`, yours or a new one, the same in all its attempts, so that it
 * adds one pet. Requests go to the origin of `baseUrl` alone: redirects are not followed, and of a link only the cursor is used.
 */
import createClient, { type Client } from 'openapi-fetch'
import type { components, operations, paths } from './pet-adoption-api.generated.js'

export type Pet = components['schemas']['Pet']
export type NewPet = components['schemas']['NewPet']
export type PetQuery = NonNullable<operations['listPets']['parameters']['query']>
export type ErrorBody = components['schemas']['Error']

export type PetAdoptionClient = Client<paths>

export interface PetAdoptionClientOptions {
  /** Where the API is; it ends in `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** How often a request is sent, at most. @default 6 */
  readonly attempts?: number
  /** A request is not sent again after a longer wait: you get the response at once. @default 120 */
  readonly longestWaitSeconds?: number
  /** How long an attempt takes at most, from the connection to the last byte of the response. @default 30 */
  readonly timeoutSeconds?: number
  /** Waits between two attempts, or rejects with the signal's reason when it is aborted. @default a timer */
  readonly sleep?: (seconds: number, signal: AbortSignal) => Promise<void>
}

/**
 * The operations of the API by method and path: `client.GET('/pets')` gives `data` or `error`, both typed. An integer is a
 * `number`, and beyond 2^53, where numbers are not exact, a `bigint`. An `AbortSignal` ends a request or a wait.
 */
export const createPetAdoptionClient = (options: PetAdoptionClientOptions): PetAdoptionClient =>
  createClient<paths>({
    baseUrl: options.baseUrl,
    headers: { Authorization: `Bearer ${options.apiKey}` },
    bodySerializer: writeJson,
    fetch: (request) => sendUntilDone(request, options),
  })

export interface Page {
  readonly pets: readonly Pet[]
  /** The `cursor` of the next page. Undefined on the last page. */
  readonly nextCursor: string | undefined
}

type Stop = { readonly signal?: AbortSignal | null }

/** One page of pets, the newest first. @throws PetAdoptionError */
export const page = async (client: PetAdoptionClient, query: PetQuery = {}, stop: Stop = {}): Promise<Page> => {
  const result = await client.GET('/pets', { params: { query }, ...stop })
  const [, next = ''] = /<([^<>]*)>; *rel="next"/.exec(result.response.headers.get('Link') ?? '') ?? []
  const nextCursor = new URL(next, 'http://a').searchParams.get('cursor') ?? undefined
  return { pets: await dataOf(result), nextCursor }
}

/**
 * Every pet, the newest first, page by page as they are used. To stop early, leave the loop. A pet is in lists some seconds
 * after the response that added it, and not always before older ones: to follow new pets, read each time to one that you
 * knew a minute before you last read.
 *
 * @throws PetAdoptionError
 */
export async function* pets(client: PetAdoptionClient, query: PetQuery = {}, stop: Stop = {}): AsyncGenerator<Pet> {
  const visited = new Set<string>()
  for (let next: PetQuery = { limit: 100, ...query }; ; ) {
    const found = await page(client, next, stop)
    yield* found.pets
    if (found.nextCursor === undefined) return
    if (visited.has(found.nextCursor)) throw new Error('The pages do not end: a cursor came again.')
    visited.add(found.nextCursor)
    next = { ...next, cursor: found.nextCursor }
  }
}

type Result<Data> = { readonly data?: Data; readonly error?: unknown; readonly response: Response }

/** What an operation gave: `const pet = await dataOf(client.POST('/pets', { body }))`. @throws PetAdoptionError */
export const dataOf = async <Data>(result: Result<Data> | Promise<Result<Data>>): Promise<Data> => {
  const { data, error, response } = await result
  if (data === undefined) throw new PetAdoptionError(response.status, error, retryAfterOf(response))
  return data
}

/** An error of the API, or a response of something else: then `code` is undefined. `retryAfter` is in seconds, if it is known. */
export class PetAdoptionError extends Error {
  override readonly name = 'PetAdoptionError'
  readonly status: number
  readonly code: ErrorBody['code'] | undefined
  readonly retryAfter: number | undefined

  constructor(status: number, body: unknown, retryAfter?: number) {
    const isError = (value: unknown): value is ErrorBody =>
      typeof value === 'object' && value !== null && 'code' in value
    super(isError(body) ? body.message : `The response has the status ${status} and no body of this API.`)
    this.status = status
    this.code = isError(body) ? body.code : undefined
    this.retryAfter = retryAfter
  }
}

const retried = [409, 429, 500, 503, 504]

const sendUntilDone = async (request: Request, options: PetAdoptionClientOptions): Promise<Response> => {
  const { attempts = 6, longestWaitSeconds = 120, timeoutSeconds = 30, sleep = wait } = options
  const [own, target] = [options.baseUrl, request.url].map((url) => new URL(url).origin)
  if (target !== own) throw new Error(`The API key is for ${own}. It is not sent to ${target}.`)
  if (request.method === 'POST' && !request.headers.has('Idempotency-Key')) {
    request.headers.set('Idempotency-Key', crypto.randomUUID())
  }
  for (let attempt = 1; ; attempt += 1) {
    const sent = await send(request, timeoutSeconds).catch((lost: unknown) => ({ lost }))
    const seconds = ('lost' in sent ? undefined : retryAfterOf(sent)) ?? Math.random() * 0.25 * 2 ** attempt
    const isDone = 'lost' in sent ? request.signal.aborted : !retried.includes(sent.status)
    if (isDone || attempt >= attempts || seconds > longestWaitSeconds) {
      if ('lost' in sent) throw sent.lost
      return sent
    }
    await sleep(seconds, request.signal)
  }
}

/** One attempt, with the whole body. */
const send = (request: Request, timeoutSeconds: number): Promise<Response> => {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutSeconds * 1_000)])
  const receive = async () => {
    const response = await fetch(request.clone(), { redirect: 'manual', signal })
    return readExactly(response, await response.text())
  }
  // It does not wait for fetch to notice: in Node.js a copied request loses its signal when garbage is collected.
  return Promise.race([receive(), rejectedBy(signal)])
}

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

const wait = (seconds: number, signal: AbortSignal): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1_000)
  })
  return Promise.race([over, rejectedBy(signal)]).finally(() => clearTimeout(timer))
}

const retryAfterOf = ({ headers }: Response): number | undefined => {
  const text = headers.get('Retry-After') ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** A response whose JSON is read exactly: openapi-fetch calls `json` when the length is known. */
const readExactly = ({ status, statusText, headers }: Response, text: string): Response => {
  const known = new Headers(headers)
  known.set('Content-Length', String(text.length + 1))
  const json = async (): Promise<unknown> => {
    try {
      return JSON.parse(text, exactInteger)
    } catch {
      throw new PetAdoptionError(status, undefined)
    }
  }
  return Object.assign(new Response(text === '' ? null : text, { status, statusText, headers: known }), { json })
}

/** The third argument has the number as it was written. No int64 has more digits than 19. */
const exactInteger = (_key: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d{1,19}$/.test(source) ? BigInt(source) : value

const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? rawJson(part.toString()) : part))

// TypeScript's library does not have it yet, nor has Node.js 20, which would round.
const { rawJSON: rawJson } = JSON as typeof JSON & { readonly rawJSON: (text: string) => unknown }
if (rawJson === undefined) throw new Error('The client of the Pet Adoption API needs Node.js 22 or later.')
