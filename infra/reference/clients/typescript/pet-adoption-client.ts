/**
 * A client of the Pet Adoption API for Node.js 20 or later and for browsers. It needs no other package. To use it, copy
 * this file and `pet-adoption-api.generated.ts` into your project.
 *
 * - Retries: a request is sent again if no complete response came, and after 429, 500, 502, 503 and 504. The client
 *   waits for the time of `Retry-After` and a random time, or else for a random time that grows with each attempt.
 * - Creations: all attempts of a creation carry the same `Idempotency-Key`, so that they add one pet.
 * - Safety: the client follows no redirect, and takes only the cursor from the link to the next page.
 * - Limits: each attempt has a time limit as a whole, and each response a limit of bytes.
 * - Frameworks: no response is taken from a cache. An error by which a framework interrupts `fetch` is thrown
 *   unchanged.
 */
import type { components, operations } from './pet-adoption-api.generated.js'

export type Pet = components['schemas']['Pet']
export type NewPet = components['schemas']['PetInput']
export type PetQuery = NonNullable<operations['listPets']['parameters']['query']>

export interface PetAdoptionClientOptions {
  /** Base URL of the API. It ends in `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Maximum number of times that a request is sent. @default 8 */
  readonly attempts?: number
  /** Longest `Retry-After` to wait for. If the API asks for a longer one, you get the error at once. @default 120 */
  readonly longestWaitSeconds?: number
  /** Time limit of each attempt, from the connection to the last byte of the response. @default 30 */
  readonly timeoutSeconds?: number
  /** Waits between two attempts or polls. Rejects with the reason of the signal when it is aborted. @default a timer */
  readonly sleep?: (seconds: number, signal: AbortSignal | undefined) => Promise<void>
}

/** Ends a request, and the waits between its attempts, when the signal is aborted. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
}

export interface CreationOptions extends RequestOptions {
  /** Pass the same one each time that you repeat a call. @default a new one for each call */
  readonly idempotencyKey?: string
}

export interface FollowingOptions {
  /** Id of a pet. Pets up to this id are left out. @default 0 */
  readonly after?: number
  /** Time between two polls of the list. @default 120 */
  readonly intervalSeconds?: number
  /** Ends the loop when it is aborted. */
  readonly signal?: AbortSignal | undefined
}

export interface Page {
  readonly pets: readonly Pet[]
  /** The `cursor` of the next page. Undefined on the last page. */
  readonly nextCursor: string | undefined
}

/** Details of an error response, beside its code and its message. */
interface ErrorDetails {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** A request that all attempts send. */
interface PreparedRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Headers
  readonly body?: string
}

/** Limits of the waits of a request for its next attempt. */
interface Patience {
  readonly longestWaitSeconds: number
  /** Ends the request when it is aborted. */
  readonly signal: AbortSignal | undefined
}

interface ReceivedResponse {
  readonly response: Response
  /** Undefined if it is not JSON. */
  readonly body: unknown
}

const version = '1.0.0'
const retriedStatuses: readonly unknown[] = [429, 500, 502, 503, 504]
const retriedCodes = ['timed_out', 'connection_failed']
/** A page of 100 pets with the longest names has a third of this. */
const maximumResponseBytes = 2 ** 20
const longestBackoffSeconds = 64
/** The longest time of a timer. A longer one would end at once. */
const longestTimerMilliseconds = 2 ** 31 - 1

/**
 * No cache of a browser or a framework may answer. Some platforms have no such option, and refuse it. Others, such as
 * the environment jsdom of Jest, have no `Request` at all.
 */
const cacheOption =
  typeof Request === 'function' && 'cache' in Request.prototype ? ({ cache: 'no-store' } as const) : {}

/** Browsers name themselves, and would ask the API whether they may send another name. */
const isBrowser = typeof navigator !== 'undefined' && navigator.userAgent.startsWith('Mozilla/')

/**
 * An error response, or no response. Its `cause` is the error of the platform, if there was one.
 *
 * `code` is the error code of the API, or one of these:
 *
 * - `timed_out`: the response was not complete in time.
 * - `connection_failed`: there was no connection, or it ended before the response did.
 * - `certificate_refused`: the server did not prove that it is the host of `baseUrl`. This is not retried.
 * - `unexpected_response`: the response is not one of this API, such as a redirect or a page of a proxy.
 */
export class PetAdoptionError extends Error {
  override readonly name = 'PetAdoptionError'
  readonly code: string
  /** Undefined if no response came. */
  readonly status: number | undefined
  /** Name this id when you report a problem. Undefined if the response has none. */
  readonly requestId: string | undefined
  /** Seconds to wait before the next request. Undefined if the response does not say. */
  readonly retryAfter: number | undefined

  constructor(code: string, message: string, { status, requestId, retryAfter, cause }: ErrorDetails = {}) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/**
 * A client of the API at one base URL. A setting that cannot work is refused with a TypeError or a RangeError.
 *
 * An integer in a response is a `number`. Beyond 2^53, where a number would be rounded, it is a `bigint`.
 *
 * Its methods reject with a `PetAdoptionError`, or with the reason of your signal.
 */
export class PetAdoptionClient {
  readonly #options: Required<PetAdoptionClientOptions>
  readonly #petsUrl: string

  constructor({
    baseUrl,
    apiKey,
    attempts = 8,
    longestWaitSeconds = 120,
    timeoutSeconds = 30,
    sleep = wait,
  }: PetAdoptionClientOptions) {
    // The error of fetch would show the key. A variable that is not set is undefined in JavaScript.
    if (!/^[!-~]+$/.test(apiKey ?? '')) {
      throw new TypeError('apiKey is empty, or has a character that no API key has.')
    }
    // Each check is negated, so that it refuses NaN too.
    if (!(attempts >= 1)) throw new RangeError('attempts must be 1 or more.')
    if (!(longestWaitSeconds >= 0)) throw new RangeError('longestWaitSeconds must be 0 or more.')
    if (!(timeoutSeconds > 0)) throw new RangeError('timeoutSeconds must be more than 0.')
    this.#options = { baseUrl, apiKey, attempts, longestWaitSeconds, timeoutSeconds, sleep }
    this.#petsUrl = createPetsUrl(baseUrl)
  }

  /** Requests one page of pets, the newest first. */
  page(query: PetQuery = {}, { signal }: RequestOptions = {}): Promise<Page> {
    return this.#page(query, { longestWaitSeconds: this.#options.longestWaitSeconds, signal })
  }

  /**
   * Yields all pets, the newest first, and requests each page when it is needed. Leave the loop to stop early:
   *
   *     for await (const pet of client.pets({ status: 'available' })) console.log(pet.name)
   *
   * To follow new pets, use `followPets`: a new pet can appear below pets that you have already seen.
   */
  pets(query: PetQuery = {}, { signal }: RequestOptions = {}): AsyncGenerator<Pet> {
    return this.#allPets(query, { longestWaitSeconds: this.#options.longestWaitSeconds, signal })
  }

  /**
   * Yields all pets, and then new pets as they come, each once. Leave the loop to stop, or abort the signal:
   *
   *     for await (const pet of client.followPets({ signal })) console.log('New:', pet.name)
   *
   * The list is polled at an interval. A poll takes one request for each 100 pets that it reads. The first two polls
   * read the whole list; later ones usually read one page. When the requests of your API key are used up for the day,
   * the client waits for the next day, and goes on where it was.
   *
   * To go on after a restart, pass as `after` the id of a pet that you got more than the interval and a minute before
   * the end. Pets up to that id are left out, and some later ones can come again.
   */
  async *followPets({ after = 0, intervalSeconds = 120, signal }: FollowingOptions = {}): AsyncGenerator<Pet> {
    // The check is negated, so that it refuses NaN too.
    if (!(intervalSeconds >= 0)) throw new RangeError('intervalSeconds must be 0 or more.')
    /** Times by `performance.now()`, by id. */
    const firstSeen = new Map<number, number>()
    let knownId = after
    let previousPoll = Number.NEGATIVE_INFINITY
    try {
      while (true) {
        const thisPoll = performance.now()
        knownId = yield* this.#poll({ firstSeen, knownId, previousPoll, signal })

        for (const id of firstSeen.keys()) if (id <= knownId) firstSeen.delete(id)
        previousPoll = thisPoll
        await this.#options.sleep(intervalSeconds, signal)
      }
    } catch (error) {
      if (!signal?.aborted) throw error
    }
  }

  /** Yields the pets that a poll sees for the first time. @returns an id up to which no pet is new any more */
  async *#poll(following: {
    readonly firstSeen: Map<number, number>
    readonly knownId: number
    readonly previousPoll: number
    readonly signal: AbortSignal | undefined
  }): AsyncGenerator<Pet, number> {
    const { firstSeen, knownId, previousPoll, signal } = following
    for await (const pet of this.#allPets({}, { longestWaitSeconds: Number.POSITIVE_INFINITY, signal })) {
      if (pet.id <= knownId) break
      const seen = firstSeen.get(pet.id) ?? performance.now()
      if (!firstSeen.has(pet.id)) {
        firstSeen.set(pet.id, seen)
        yield pet
        signal?.throwIfAborted()
      }
      // Stop at a pet first seen more than a minute before the previous poll.
      if (seen < previousPoll - 60_000) return pet.id
    }
    return knownId
  }

  /**
   * Adds a pet. It is added once, even if the request has to be sent again.
   *
   * A call that is repeated after an error adds another pet, unless you pass an `idempotencyKey` of your own, the same
   * one each time: 1 to 255 characters of ASCII, without a space at either end.
   */
  async createPet(pet: NewPet, { idempotencyKey, signal }: CreationOptions = {}): Promise<Pet> {
    const key = idempotencyKey ?? createRandomText()
    if (!/^[!-~]([ -~]{0,253}[!-~])?$/.test(key)) {
      throw new TypeError('idempotencyKey must be 1 to 255 characters of ASCII, without a space at either end.')
    }
    const headers = this.#createHeaders()
    headers.set('Content-Type', 'application/json')
    headers.set('Idempotency-Key', key)
    const request = { url: this.#petsUrl, method: 'POST', headers, body: writeJson(pet) } as const
    const received = await this.#send(request, { longestWaitSeconds: this.#options.longestWaitSeconds, signal })

    if (!isPet(received.body)) throw createError(received, 'The response has no pet.')
    return received.body
  }

  async #page(query: PetQuery, patience: Patience): Promise<Page> {
    const url = new URL(this.#petsUrl)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const received = await this.#send({ url: url.href, method: 'GET', headers: this.#createHeaders() }, patience)

    const { body } = received
    if (!Array.isArray(body) || !body.every(isPet)) throw createError(received, 'The response has no list of pets.')
    return { pets: body, nextCursor: readNextCursor(received) }
  }

  async *#allPets(query: PetQuery, patience: Patience): AsyncGenerator<Pet> {
    let nextQuery: PetQuery = { limit: 100, ...query }
    while (true) {
      const { pets, nextCursor } = await this.#page(nextQuery, patience)
      yield* pets
      if (nextCursor === undefined) return
      // A cache that ignores the cursor would have the same page for ever.
      if (nextCursor === nextQuery.cursor) {
        throw new PetAdoptionError('unexpected_response', 'The page links itself as the next one.', { status: 200 })
      }
      nextQuery = { ...nextQuery, cursor: nextCursor }
    }
  }

  #createHeaders(): Headers {
    const headers = new Headers({ Authorization: `Bearer ${this.#options.apiKey}` })
    if (!isBrowser) headers.set('User-Agent', `pet-adoption-typescript/${version}`)
    return headers
  }

  /** Sends a request until it succeeds, or throws the last error. */
  async #send(request: PreparedRequest, { longestWaitSeconds, signal }: Patience): Promise<ReceivedResponse> {
    const { attempts, timeoutSeconds, sleep } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      const result = await sendOnce(request, timeoutSeconds, signal)
      if (!(result instanceof PetAdoptionError)) return result

      const { code, status, retryAfter } = result
      const isRetryable = retriedCodes.includes(code) || retriedStatuses.includes(status)
      const isSoon = retryAfter === undefined || retryAfter <= longestWaitSeconds
      if (!isRetryable || !isSoon || attempt >= attempts) throw result
      await sleep(chooseWait(attempt, retryAfter), signal)
    }
  }
}

/** @throws TypeError if the base URL is not one */
const createPetsUrl = (baseUrl: string): string => {
  const { protocol, username, password, search, hash, href } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol) || `${username}${password}${search}${hash}` !== '') {
    throw new TypeError('baseUrl must be a URL such as https://api.example.org/v1.')
  }
  return `${href.replace(/\/+$/, '')}/pets`
}

/**
 * Sends a request and receives the whole response.
 *
 * @returns the error, if there was one, also for an error response
 * @throws the reason of the signal, and every error but those of the connection
 */
const sendOnce = async (
  request: PreparedRequest,
  timeoutSeconds: number,
  signal: AbortSignal | undefined,
): Promise<ReceivedResponse | PetAdoptionError> => {
  signal?.throwIfAborted()
  // A controller with a timer, because AbortSignal.any and AbortSignal.timeout can be lost to garbage collection in
  // Node.js 20, and then nothing ends the request. For the same reason the race does not rely on fetch to notice it.
  const controller = new AbortController()
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.onabort = () => reject(controller.signal.reason)
  })
  const endAttempt = (): void => {
    controller.abort(new PetAdoptionError('timed_out', `The response was not complete after ${timeoutSeconds} s.`))
  }
  const timer = startTimer(endAttempt, timeoutSeconds)
  const stop = (): void => controller.abort(signal?.reason)
  signal?.addEventListener('abort', stop)
  try {
    const received = await Promise.race([receive(request, controller.signal), stopped])
    const { ok, status, headers } = received.response
    if (!ok) return createError(received)
    // Without a Content-Length, a body that was cut off is only noticed here. A page of a proxy is no JSON at all.
    const isCutOff = received.body === undefined && headers.get('Content-Type')?.startsWith('application/json')
    if (request.method === 'POST' && isCutOff) {
      return new PetAdoptionError('connection_failed', 'The response has no complete JSON.', { status })
    }
    return received
  } catch (error) {
    controller.abort(error)
    signal?.throwIfAborted()
    if (error instanceof PetAdoptionError) return error
    throw error
  } finally {
    // Node.js keeps the controller until its memory is short. Without this, the controller would keep the response.
    controller.signal.onabort = null
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

const receive = async ({ url, ...request }: PreparedRequest, signal: AbortSignal): Promise<ReceivedResponse> => {
  const response = await fetch(url, { ...request, ...cacheOption, redirect: 'manual', signal }).catch(throwFailure)
  return { response, body: parseJson(await readText(response)) }
}

/** @throws PetAdoptionError if the body is longer than the limit, also when it is decompressed */
const readText = async ({ body, status }: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  const reader = body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read().catch(throwFailure)
    if (done) break
    text += decoder.decode(value, { stream: true })
    length += value.length
    if (length > maximumResponseBytes) {
      const message = `The response has more than ${maximumResponseBytes} bytes.`
      throw new PetAdoptionError('unexpected_response', message, { status })
    }
  }
  return text + decoder.decode()
}

/**
 * Describes the error of an attempt that got no complete response.
 *
 * @throws PetAdoptionError; or the error itself, if it has a `digest`: by such an error a framework such as Next.js
 * interrupts `fetch`, and waits for it to arrive
 */
const throwFailure = (error: unknown): never => {
  if (error instanceof PetAdoptionError || (isObject(error) && 'digest' in error)) throw error
  // The error of fetch has the reason as its cause, or as the cause of that.
  let reason = error
  while (reason instanceof Error && reason.cause !== undefined) reason = reason.cause
  const reasonCode = isObject(reason) && 'code' in reason ? String(reason['code']) : ''
  if (/CERT|HOSTNAME|UNABLE_TO_(GET|VERIFY)/.test(reasonCode)) {
    throw new PetAdoptionError('certificate_refused', String(reason), { cause: error })
  }
  // Node.js: `Proxy response (407) !== 200 when HTTP Tunneling`
  const [, proxyStatus] = /Proxy .*\((4\d\d)\)/.exec(String(reason)) ?? []
  if (proxyStatus !== undefined) {
    const message = `The proxy refused: ${reason}`
    throw new PetAdoptionError('unexpected_response', message, { status: Number(proxyStatus), cause: error })
  }
  throw new PetAdoptionError('connection_failed', `No complete response came: ${reason}`, { cause: error })
}

/** Creates the error of a response. A body that is not one of this API gets the message. */
const createError = ({ response: { status, headers }, body }: ReceivedResponse, message?: string): PetAdoptionError => {
  const details = {
    status,
    requestId: headers.get('x-amzn-RequestId') ?? undefined,
    retryAfter: readRetryAfter(headers.get('Retry-After')?.trim() ?? ''),
  }
  if (isErrorBody(body)) return new PetAdoptionError(body.code, body.message, details)
  const otherMessage = message ?? `The response has the status ${status} and no body of this API.`
  return new PetAdoptionError('unexpected_response', otherMessage, details)
}

/** Reads a `Retry-After` as seconds. A proxy may send a date of this century (RFC 9110) instead. */
const readRetryAfter = (text: string): number | undefined => {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} 20\d{2} \d{2}:\d{2}:\d{2} GMT$/.test(text)
  const seconds = isDate ? Math.ceil((Date.parse(text) - Date.now()) / 1_000) : Number.NaN
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isErrorBody = (body: unknown): body is { readonly code: string; readonly message: string } =>
  isObject(body) && typeof body['code'] === 'string' && typeof body['message'] === 'string'

const isPet = (value: unknown): value is Pet => isObject(value) && Number.isSafeInteger(value['id'])

const readNextCursor = (received: ReceivedResponse): string | undefined => {
  const [, url] = /<([^<>]*)>; *rel="next"/.exec(received.response.headers.get('Link') ?? '') ?? []
  if (url === undefined) return undefined
  // Only the cursor of the URL is used. The URL may be relative.
  const [, query = ''] = url.split('?')
  const cursor = new URLSearchParams(query).get('cursor')
  if (cursor === null) throw createError(received, 'The link to the next page has no cursor.')
  return cursor
}

/** Chooses the seconds between an attempt and the next one. They are random, so that clients do not wake at once. */
const chooseWait = (attempt: number, retryAfter: number | undefined): number => {
  if (retryAfter !== undefined) return retryAfter + Math.random() * Math.max(1, retryAfter / 5)
  const longest = Math.min(2 ** (attempt - 1), longestBackoffSeconds)
  return (longest / 2) * (1 + Math.random())
}

const startTimer = (end: () => void, seconds: number) =>
  setTimeout(end, Math.min(seconds * 1_000, longestTimerMilliseconds))

/** Default of `PetAdoptionClientOptions.sleep`. */
const wait = (seconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = startTimer(end, seconds)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })

/** Returns a text that nobody can guess. `crypto.randomUUID` does not exist in pages that are not served by HTTPS. */
const createRandomText = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** A JSON string or number. */
const tokenPattern = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * Parses JSON, with integers beyond 2^53 as `bigint`. JSON.parse would round them, so it gets them as texts that begin
 * with a mark, which nobody can know before.
 *
 * @returns undefined if the text is not JSON
 */
const parseJson = (text: string): unknown => {
  const mark = createRandomText()
  try {
    // In a string without an end, which no JSON has, the pattern below would search for minutes.
    JSON.parse(text)
    const marked = text.replace(tokenPattern, (token) =>
      /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token,
    )
    return readMarkedIntegers(JSON.parse(marked), mark)
  } catch {
    return undefined
  }
}

const readMarkedIntegers = (value: unknown, mark: string): unknown => {
  if (typeof value === 'string') return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value
  if (Array.isArray(value)) return value.map((item) => readMarkedIntegers(item, mark))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, readMarkedIntegers(member, mark)]))
}

/**
 * Writes JSON, with each `bigint` as an integer.
 *
 * @throws TypeError if a number is an integer that is rounded
 */
const writeJson = (value: unknown): string => {
  const mark = createRandomText()
  const marked = JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, member) {
    // The member is what `toJSON` returns, which some programs add to all bigints.
    const original = this[name]
    if (typeof original === 'bigint') return `${mark}${original}`
    if (Number.isInteger(member) && !Number.isSafeInteger(member)) throw new TypeError(`${name} must be a bigint.`)
    return member
  })
  return marked.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}
