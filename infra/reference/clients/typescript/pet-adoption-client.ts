/**
 * A client of the Pet Adoption API for Node.js 22 or later and for browsers of 2025 or later, without other packages.
 * To use it, copy this file and `pet-adoption-api.generated.ts` into your project.
 *
 * - Retries: a request is sent again if no complete response came, and after 429, 500, 502, 503 and 504. The client
 *   waits for the time of `Retry-After` and a random time, or else for a random time that grows with each attempt.
 * - Creations: all attempts of a creation carry the same `Idempotency-Key`, so that they add one pet.
 * - Safety: the client follows no redirect, takes only the cursor from the link to the next page, and no response from
 *   a cache.
 * - Proxies and certificates: those of the platform (Node.js, "Built-in Proxy Support" and `NODE_EXTRA_CA_CERTS`).
 */
import type { components, operations } from './pet-adoption-api.generated.js'

/** Fields of which the optional ones may be undefined, also under `exactOptionalPropertyTypes`. */
type AllowUndefined<Fields> = {
  // An object without the field is one of the type only if the field is optional.
  [Name in keyof Fields]: Record<never, never> extends Pick<Fields, Name> ? Fields[Name] | undefined : Fields[Name]
}

export type Pet = components['schemas']['Pet']
export type NewPet = AllowUndefined<components['schemas']['PetInput']>
export type PetQuery = AllowUndefined<NonNullable<operations['listPets']['parameters']['query']>>

export interface PetAdoptionClientOptions {
  /** Base URL of the API. It ends in `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Maximum number of times that a request is sent. @default 8 */
  readonly attempts?: number | undefined
  /** Longest `Retry-After` to wait for. If the API asks for a longer one, you get the error at once. @default 120 */
  readonly longestWaitSeconds?: number | undefined
  /** Time limit of each attempt, from the connection to the last byte of the response. @default 30 */
  readonly timeoutSeconds?: number | undefined
  /** Waits between two attempts or polls. Rejects with the reason of the signal when it is aborted. @default a timer */
  readonly sleep?: ((seconds: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
}

/** Ends a request, and the waits between its attempts, when the signal is aborted. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
}

export interface CreationOptions extends RequestOptions {
  /** Pass the same one each time that you repeat a call. @default a new one for each call */
  readonly idempotencyKey?: string | undefined
}

export interface FollowingOptions {
  /** Id of a pet. Pets up to this id are left out. @default 0 */
  readonly after?: number | undefined
  /** Time between two polls of the list. @default 120 */
  readonly intervalSeconds?: number | undefined
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
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** How long a request may wait for its next attempt, and what ends it. */
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
const retriedStatuses: readonly (number | undefined)[] = [429, 500, 502, 503, 504]
const retriedCodes = ['timed_out', 'connection_failed']
const longestBackoffSeconds = 64
/** The longest time of a timer. A longer one would end at once (Node.js and HTML, `setTimeout`). */
const longestTimerMilliseconds = 2 ** 31 - 1

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
  readonly #petsUrl: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #attempts: number
  readonly #longestWaitSeconds: number
  readonly #timeoutSeconds: number
  readonly #sleep: NonNullable<PetAdoptionClientOptions['sleep']>

  constructor({
    baseUrl,
    apiKey,
    attempts = 8,
    longestWaitSeconds = 120,
    timeoutSeconds = 30,
    sleep = wait,
  }: PetAdoptionClientOptions) {
    // fetch would refuse such a key too, by an error that quotes it. A program in JavaScript passes undefined if its
    // variable is not set.
    if (!/^[!-~]+$/.test(apiKey ?? '')) {
      throw new TypeError('apiKey is empty, or has a character that no API key has.')
    }
    // Each check is negated, so that it refuses NaN too.
    if (!(attempts >= 1)) throw new RangeError('attempts must be 1 or more.')
    if (!(longestWaitSeconds >= 0)) throw new RangeError('longestWaitSeconds must be 0 or more.')
    if (!(timeoutSeconds > 0)) throw new RangeError('timeoutSeconds must be more than 0.')
    this.#petsUrl = createPetsUrl(baseUrl)
    // Node.js sends this User-Agent. Most browsers send their own.
    this.#headers = { Authorization: `Bearer ${apiKey}`, 'User-Agent': `pet-adoption-typescript/${version}` }
    this.#attempts = attempts
    this.#longestWaitSeconds = longestWaitSeconds
    this.#timeoutSeconds = timeoutSeconds
    this.#sleep = sleep
  }

  /** Requests one page of pets, the newest first. */
  page(query: PetQuery = {}, { signal }: RequestOptions = {}): Promise<Page> {
    return this.#page(query, { longestWaitSeconds: this.#longestWaitSeconds, signal })
  }

  /**
   * Yields all pets, the newest first, and requests each page when it is needed. Leave the loop to stop early:
   *
   *     for await (const pet of client.pets({ status: 'available' })) console.log(pet.name)
   *
   * To follow new pets, use `followPets`: a new pet can appear below pets that you have already seen.
   */
  pets(query: PetQuery = {}, { signal }: RequestOptions = {}): AsyncGenerator<Pet> {
    return this.#allPets(query, { longestWaitSeconds: this.#longestWaitSeconds, signal })
  }

  /**
   * Yields all pets, and then new pets as they come, each once. Leave the loop to stop, or abort the signal:
   *
   *     for await (const pet of client.followPets({ signal })) console.log('New:', pet.name)
   *
   * The list is polled at an interval. A poll takes one request for each 100 pets that it reads. The first two polls
   * read the whole list, because only the third knows pets that it first saw long enough ago; it and later ones usually
   * read one page. When the requests of your API key are used up for the day,
   * the client waits for the next day, and goes on where it was.
   *
   * To go on after a restart, pass as `after` the id of a pet that you got at least `intervalSeconds` and a minute
   * before the program ended. Pets up to that id are left out, and some later ones can come again.
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
        await this.#sleep(intervalSeconds, signal)
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
      // A list can lack a pet for some seconds after its creation, and show it below others. So the pets below one that
      // was in the list a minute before the previous poll have all been seen.
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
    // A page that is not served by HTTPS has no crypto.randomUUID.
    const key = idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4)).join('-')
    if (!/^[!-~]([ -~]{0,253}[!-~])?$/.test(key)) {
      throw new TypeError('idempotencyKey must be 1 to 255 characters of ASCII, without a space at either end.')
    }
    const headers = { ...this.#headers, 'Content-Type': 'application/json', 'Idempotency-Key': key }
    const request = { url: this.#petsUrl, method: 'POST', headers, body: JSON.stringify(pet, writeInteger) } as const
    const received = await this.#send(request, { longestWaitSeconds: this.#longestWaitSeconds, signal })

    if (!isPet(received.body)) throw createError(received, 'The response has no pet.')
    return received.body
  }

  async #page(query: PetQuery, patience: Patience): Promise<Page> {
    const url = new URL(this.#petsUrl)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const received = await this.#send({ url: url.href, method: 'GET', headers: this.#headers }, patience)

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

  /** Sends a request until it succeeds, or throws the last error. */
  async #send(request: PreparedRequest, { longestWaitSeconds, signal }: Patience): Promise<ReceivedResponse> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendOnce(request, this.#timeoutSeconds, signal)
      } catch (error) {
        const isRetried = error instanceof PetAdoptionError && isRetryable(error, longestWaitSeconds)
        if (!isRetried || attempt >= this.#attempts) throw error
        await this.#sleep(chooseWait(attempt, error.retryAfter), signal)
      }
    }
  }
}

const isRetryable = ({ code, status, retryAfter = 0 }: PetAdoptionError, longestWaitSeconds: number): boolean =>
  (retriedCodes.includes(code) || retriedStatuses.includes(status)) && retryAfter <= longestWaitSeconds

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
 * @throws PetAdoptionError, also for an error response; the reason of the signal; and any other error that `fetch`
 * throws, such as the one by which Next.js interrupts a page that it builds in advance
 */
const sendOnce = async (
  { url, ...request }: PreparedRequest,
  timeoutSeconds: number,
  signal: AbortSignal | undefined,
): Promise<ReceivedResponse> => {
  signal?.throwIfAborted()
  // The signal stays in a variable that is read below, so that garbage collection keeps it (nodejs/node issue 57736).
  const timeout = AbortSignal.timeout(Math.min(timeoutSeconds * 1_000, longestTimerMilliseconds))
  const signals = signal === undefined ? [timeout] : [signal, timeout]
  try {
    const response = await fetch(url, {
      ...request,
      cache: 'no-store',
      redirect: 'manual',
      signal: AbortSignal.any(signals),
    })
    const received = { response, body: parseJson(await response.text()) }
    checkResponse(received)
    return received
  } catch (error) {
    signal?.throwIfAborted()
    if (timeout.aborted) {
      const message = `The response was not complete after ${timeoutSeconds} s.`
      throw new PetAdoptionError('timed_out', message, { cause: error })
    }
    // An error of the network is a TypeError (Fetch standard, "fetch method"). Its name is compared, because test
    // runners have a class TypeError of their own.
    if (isObject(error) && error['name'] === 'TypeError') throw createFailure(error)
    throw error
  }
}

/** @throws PetAdoptionError for an error response, or for a body that was cut off */
const checkResponse = (received: ReceivedResponse): void => {
  const { ok, status, headers } = received.response
  if (!ok) throw createError(received, `The response has the status ${status} and no body of this API.`)
  // A body without a Content-Length that is declared as JSON, and cannot be parsed, was cut off. A page of a proxy is
  // declared as another type.
  if (received.body === undefined && headers.get('Content-Type')?.startsWith('application/json')) {
    throw new PetAdoptionError('connection_failed', 'The response has no complete JSON.', { status })
  }
}

/** Creates the error of an attempt that got no complete response. */
const createFailure = (error: object): PetAdoptionError => {
  const reasons = findReasons(error)
  const text = reasons.join(', ')
  const isCertificate = reasons.some(
    (reason) => isObject(reason) && /CERT|HOSTNAME|UNABLE_TO_(GET|VERIFY)/.test(String(reason['code'])),
  )
  if (isCertificate) return new PetAdoptionError('certificate_refused', text, { cause: error })
  return new PetAdoptionError('connection_failed', `No complete response came: ${text}`, { cause: error })
}

/**
 * Finds the innermost errors. An error of fetch has another one as its cause. If the host has several addresses, that
 * one has an error for each address.
 */
const findReasons = (error: unknown): readonly unknown[] => {
  if (!isObject(error)) return [error]
  if (Array.isArray(error['errors'])) return error['errors'].flatMap(findReasons)
  return error['cause'] === undefined ? [error] : findReasons(error['cause'])
}

/** Creates the error of a response. A body that is not one of this API gets the message. */
const createError = ({ response: { status, headers }, body }: ReceivedResponse, message: string): PetAdoptionError => {
  const details = {
    status,
    requestId: headers.get('x-amzn-RequestId') ?? undefined,
    retryAfter: readRetryAfter(headers.get('Retry-After')?.trim() ?? ''),
  }
  return isErrorBody(body)
    ? new PetAdoptionError(body.code, body.message, details)
    : new PetAdoptionError('unexpected_response', message, details)
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

/** Default of `PetAdoptionClientOptions.sleep`. Unlike AbortSignal.timeout, its timer keeps Node.js running. */
const wait = (seconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    // Each wait has a signal of its own, because Node.js warns of more than ten listeners of one signal.
    const ending = AbortSignal.any(signal === undefined ? [] : [signal])
    const end = (): void => {
      // Node.js keeps a signal in memory while it has a listener.
      ending.onabort = null
      clearTimeout(timer)
      if (ending.aborted) reject(ending.reason)
      else resolve()
    }
    const timer = setTimeout(end, Math.min(seconds * 1_000, longestTimerMilliseconds))
    ending.onabort = end
    if (ending.aborted) end()
  })

/**
 * Parses JSON, with integers beyond 2^53 as `bigint`, from their source text (TC39, "JSON.parse source text access").
 *
 * @returns undefined if the text is not JSON
 */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text, readInteger)
  } catch {
    return undefined
  }
}

/** Reviver of `JSON.parse`. TypeScript's library does not describe its third argument yet. */
const readInteger = (_name: string, value: unknown, context?: { readonly source?: string }): unknown => {
  const digits = context?.source ?? ''
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(digits) ? BigInt(digits) : value
}

/** TypeScript's library does not declare `JSON.rawJSON` yet. */
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => unknown }

/** Replacer of `JSON.stringify`: a `bigint` keeps its digits. @throws TypeError for an integer that is rounded */
function writeInteger(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  // `value` is what `toJSON` returns, which some programs add to all bigints.
  const original = this[name]
  if (typeof original === 'bigint') return rawJSON(String(original))
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new TypeError(`${name} must be a bigint.`)
  return value
}
