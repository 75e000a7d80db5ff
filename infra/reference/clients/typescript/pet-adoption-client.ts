/**
 * A client of the Pet Adoption API for Node.js 22 or later. To use it, copy this file and
 * `pet-adoption-api.generated.ts` into your project, and run `npm install openapi-fetch@0.17`.
 *
 * Retries: the client sends a request again if no response came, and after 429, 500, 503 and 504. It waits for the
 * time that `Retry-After` gives, or else for a random time that grows with each attempt.
 *
 * Idempotency: a POST carries an `Idempotency-Key`, yours or a new one. All attempts carry the same key, so that they
 * add one pet.
 *
 * Safety: requests go only to the origin of `baseUrl`. The client follows no redirects, and takes only the cursor from
 * the link to the next page.
 */
import createClient, { type Client } from 'openapi-fetch'
import type { components, operations, paths } from './pet-adoption-api.generated.js'

export type Pet = components['schemas']['Pet']
export type NewPet = components['schemas']['NewPet']
export type PetQuery = NonNullable<operations['listPets']['parameters']['query']>
export type ErrorBody = components['schemas']['Error']

export type PetAdoptionClient = Client<paths>

export interface PetAdoptionClientOptions {
  /** Base URL of the API. It ends in `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** How often a request is sent at most. @default 6 */
  readonly attempts?: number
  /** Longest wait between two attempts. If the API asks for a longer one, you get its response at once. @default 120 */
  readonly longestWaitSeconds?: number
  /** Time limit of each attempt, from the connection to the last byte of the response. @default 30 */
  readonly timeoutSeconds?: number
  /** Waits between two attempts. Rejects with the reason of the signal when it is aborted. @default a timer */
  readonly sleep?: (seconds: number, signal: AbortSignal) => Promise<void>
}

export interface Page {
  readonly pets: readonly Pet[]
  /** The `cursor` of the next page. Undefined on the last page. */
  readonly nextCursor: string | undefined
}

/** Ends a request, and the waits between its attempts, when the signal is aborted. */
type Stop = { readonly signal?: AbortSignal | null }

/** Result of an operation of openapi-fetch. */
type Result<Data> = { readonly data?: Data; readonly error?: unknown; readonly response: Response }

/** Result of one attempt to send a request. */
type AttemptResult = { readonly response: Response } | { readonly failure: unknown }

const retriedStatuses = [429, 500, 503, 504]

// TypeScript's library does not declare `JSON.rawJSON` yet. Node.js 20 does not have it, and would round integers.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => unknown }
if (rawJSON === undefined) throw new Error('The client of the Pet Adoption API needs Node.js 22 or later.')

/**
 * Creates a client with a method for each HTTP method:
 *
 *     const { data, error } = await client.GET('/pets', { params: { query: { limit: 3 } } })
 *
 * An integer in a response is a `number`. Beyond 2^53, where a number would be rounded, it is a `bigint`.
 */
export const createPetAdoptionClient = (options: PetAdoptionClientOptions): PetAdoptionClient =>
  createClient<paths>({
    baseUrl: options.baseUrl,
    headers: { Authorization: `Bearer ${options.apiKey}` },
    bodySerializer: writeJson,
    fetch: (request) => sendWithRetries(request, options),
  })

/** Requests one page of pets, the newest first. @throws PetAdoptionError */
export const page = async (client: PetAdoptionClient, query: PetQuery = {}, stop: Stop = {}): Promise<Page> => {
  const result = await client.GET('/pets', { params: { query }, ...stop })
  return { pets: await dataOf(result), nextCursor: readNextCursor(result.response) }
}

const readNextCursor = ({ headers }: Response): string | undefined => {
  const [, url = ''] = /<([^<>]*)>; *rel="next"/.exec(headers.get('Link') ?? '') ?? []
  // The URL may be relative. Its host does not matter, because only the cursor is read.
  return new URL(url, 'http://a').searchParams.get('cursor') ?? undefined
}

/**
 * Yields all pets, the newest first, and requests each page when it is needed. Leave the loop to stop early:
 *
 *     for await (const pet of pets(client, { status: 'available' })) console.log(pet.name)
 *
 * To follow new pets, see `follow-new-animals.ts`: a new pet can appear below pets that you have already seen.
 *
 * @throws PetAdoptionError
 */
export async function* pets(client: PetAdoptionClient, query: PetQuery = {}, stop: Stop = {}): AsyncGenerator<Pet> {
  const visitedCursors = new Set<string>()
  let nextQuery: PetQuery = { limit: 100, ...query }
  while (true) {
    const current = await page(client, nextQuery, stop)
    yield* current.pets

    const { nextCursor } = current
    if (nextCursor === undefined) return
    if (visitedCursors.has(nextCursor)) throw new Error('The pages do not end: a cursor came again.')
    visitedCursors.add(nextCursor)
    nextQuery = { ...nextQuery, cursor: nextCursor }
  }
}

/**
 * Returns the data of a result, which a response without a body does not have, or throws its error:
 *
 *     const pet = await dataOf(client.POST('/pets', { body: { name: 'Bella', categoryId: 1 } }))
 *
 * @throws PetAdoptionError
 */
export const dataOf = async <Data>(result: Result<Data> | Promise<Result<Data>>): Promise<Data> => {
  const { data, error, response } = await result
  if (!response.ok) throw new PetAdoptionError(response.status, error, readRetryAfter(response))
  // The data of a success is missing only where the contract has none, and then `Data` is `undefined`.
  return data as Data
}

/** An error response. */
export class PetAdoptionError extends Error {
  override readonly name = 'PetAdoptionError'
  readonly status: number
  /** Error code of the API. Undefined if something other than the API sent the response. */
  readonly code: ErrorBody['code'] | undefined
  /** Seconds to wait before the next request. Undefined if the response does not say. */
  readonly retryAfter: number | undefined

  constructor(status: number, body: unknown, retryAfter?: number) {
    super(isErrorBody(body) ? body.message : `The response has the status ${status} and no body of this API.`)
    this.status = status
    this.code = isErrorBody(body) ? body.code : undefined
    this.retryAfter = retryAfter
  }
}

const isErrorBody = (body: unknown): body is ErrorBody => typeof body === 'object' && body !== null && 'code' in body

const sendWithRetries = async (request: Request, options: PetAdoptionClientOptions): Promise<Response> => {
  const { attempts = 6, longestWaitSeconds = 120, timeoutSeconds = 30, sleep = wait } = options
  checkOrigin(request, options.baseUrl)
  if (request.method === 'POST' && !request.headers.has('Idempotency-Key')) {
    request.headers.set('Idempotency-Key', crypto.randomUUID())
  }

  for (let attempt = 1; ; attempt += 1) {
    const result = await sendOnce(request, timeoutSeconds)
    const waitSeconds = findRetryAfter(result) ?? Math.random() * 0.25 * 2 ** attempt
    const canRetry = attempt < attempts && waitSeconds <= longestWaitSeconds
    if (!canRetry || !isRetryable(result, request.signal)) return getResponse(result)
    await sleep(waitSeconds, request.signal)
  }
}

/** @throws Error if the request would send the API key to another origin */
const checkOrigin = (request: Request, baseUrl: string): void => {
  const { origin } = new URL(baseUrl)
  const requestOrigin = new URL(request.url).origin
  if (requestOrigin !== origin) throw new Error(`The API key is for ${origin}. It is not sent to ${requestOrigin}.`)
}

/** A failed attempt is retryable unless the caller has aborted the request. */
const isRetryable = (result: AttemptResult, signal: AbortSignal): boolean => {
  if ('failure' in result) return !signal.aborted
  return retriedStatuses.includes(result.response.status)
}

const findRetryAfter = (result: AttemptResult): number | undefined =>
  'failure' in result ? undefined : readRetryAfter(result.response)

/** @throws the failure, if no response came */
const getResponse = (result: AttemptResult): Response => {
  if ('failure' in result) throw result.failure
  return result.response
}

/** Sends a request and receives the whole body of the response. */
const sendOnce = async (request: Request, timeoutSeconds: number): Promise<AttemptResult> => {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutSeconds * 1_000)])
  const receive = async (): Promise<Response> => {
    const response = await fetch(request.clone(), { redirect: 'manual', signal })
    return readExactly(response, await response.text())
  }
  try {
    // The race does not rely on fetch to notice the signal: in Node.js, a cloned request loses its signal when garbage
    // is collected.
    return { response: await Promise.race([receive(), rejectOnAbort(signal)]) }
  } catch (failure) {
    return { failure }
  }
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

/** Default of `PetAdoptionClientOptions.sleep`. */
const wait = async (seconds: number, signal: AbortSignal): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1_000)
  })
  try {
    await Promise.race([timeout, rejectOnAbort(signal)])
  } finally {
    clearTimeout(timer)
  }
}

const readRetryAfter = ({ headers }: Response): number | undefined => {
  const text = headers.get('Retry-After') ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** Copies a response, with a method `json` that keeps integers exact. */
const readExactly = ({ status, statusText, headers: receivedHeaders }: Response, text: string): Response => {
  const headers = new Headers(receivedHeaders)
  // openapi-fetch calls `json` only if the length is known and not 0. Its value does not matter otherwise.
  headers.set('Content-Length', String(text.length + 1))
  const json = async (): Promise<unknown> => {
    try {
      return JSON.parse(text, keepInteger)
    } catch {
      throw new PetAdoptionError(status, undefined)
    }
  }
  return Object.assign(new Response(text === '' ? null : text, { status, statusText, headers }), { json })
}

/** Reviver of `JSON.parse`. Its third argument has the digits of a number. No int64 has more than 19 digits. */
const keepInteger = (_key: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown => {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value)
  return isRounded && /^-?\d{1,19}$/.test(source) ? BigInt(source) : value
}

const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? rawJSON(part.toString()) : part))
