/** Callers that send requests by themselves: some wait as long as `Retry-After` says, and some do not. */
import { readCode } from './api-response.ts'
import type { Callers, Credential } from './callers.ts'
import { baseUrl } from './network.ts'
import type { Random } from './random.ts'

/** Starts somebody who has found the key of a caller, and tries it now and then, also when it has ended. */
export const startThief = async (callers: Callers, { apiKey }: Credential): Promise<void> => {
  const { random, isOver, rest } = callers
  const own = random.fork()
  while (!isOver()) {
    await rest(own.untilNext(300) * 1_000)
    await sendOnce(apiKey)
  }
}

/** Starts a caller that sends bursts of requests and goes on after a 429. */
export const startFlood = async (callers: Callers, { apiKey }: Credential): Promise<void> => {
  const { time, random, isOver, rest } = callers
  const own = random.fork()
  while (!isOver()) {
    await rest(own.untilNext(1_200) * 1_000)
    const requests = own.integer(20, 250)
    for (let sent = 0; sent < requests && !isOver(); sent += 1) {
      // Nobody waits for the response.
      void sendOnce(apiKey)
      await time.pause(own.between(1, 400))
    }
  }
}

/**
 * Starts a caller that sends requests as fast as its headers allow, one after the other, and waits as long as
 * `Retry-After` says.
 */
export const startCareful = async (
  callers: Callers,
  { apiKey }: Credential,
  { longestSeries }: { readonly longestSeries: number },
): Promise<void> => {
  const { random, isOver, rest } = callers
  const own = random.fork()
  while (!isOver()) {
    await sendSeries(callers, own, apiKey, { requests: own.integer(1, longestSeries), longestPauseMilliseconds: 300 })
    await rest(own.untilNext(600) * 1_000)
  }
}

interface Series {
  readonly requests: number
  readonly longestPauseMilliseconds: number
}

/** Sends requests one after the other, and waits as long as `Retry-After` says, and no longer. */
const sendSeries = async (
  { isOver, rest }: Callers,
  random: Random,
  apiKey: string,
  { requests, longestPauseMilliseconds }: Series,
): Promise<void> => {
  for (let sent = 0; sent < requests && !isOver(); sent += 1) {
    const retryAfter = readRetryAfter(await sendOnce(apiKey))
    const pause = random.between(0, longestPauseMilliseconds)
    await rest(retryAfter > 0 ? retryAfter * 1_000 : pause)
  }
}

/** Refusals that are surely enough for a ban, with the requests that a minute admits before them. */
const requestsUntilBan = 130

/** The longest time before the end of a minute in which some series begin. */
const longestLeadMilliseconds = 30_000

const untilEndOfMinute = (now: number): number => 60_000 - (now % 60_000)

/**
 * Starts a caller that sends requests one after the other and goes on after a 429, until it tires, or gets no response
 * of its request. Then it waits as long as the last `Retry-After` says, and goes on at a slow pace.
 */
export const startStubborn = async (callers: Callers, { apiKey }: Credential): Promise<void> => {
  const { time, random, isOver, rest } = callers
  const own = random.fork()
  while (!isOver()) {
    // A ban at the end of a minute can meet the first request of the next one.
    if (own.chance(0.5)) await rest(untilEndOfMinute(time.now) - own.between(0, longestLeadMilliseconds))
    const retryAfter = await sendUntilBanned(callers, own, apiKey)
    await rest(retryAfter * 1_000)
    await sendSeries(callers, own, apiKey, { requests: 12, longestPauseMilliseconds: 16_000 })
    await rest(own.untilNext(60) * 1_000)
  }
}

/** Sends requests until some time after a ban, or until one gets no response. @returns the last `Retry-After` */
const sendUntilBanned = async ({ time, isOver }: Callers, random: Random, apiKey: string): Promise<number> => {
  let retryAfter = 0
  for (let sent = 0; sent < requestsUntilBan && !isOver(); sent += 1) {
    const response = await sendOnce(apiKey)
    if (response === undefined || response.status >= 500) break
    retryAfter = readRetryAfter(response)
    if ((await isBan(response)) && random.chance(0.2)) break
    await time.pause(random.between(0, 20))
  }
  return retryAfter
}

/** Sends one request for a list. @returns undefined if no response came */
export const sendOnce = async (apiKey: string): Promise<Response | undefined> => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error('No response came.')), 30_000)
  const options = { headers: { Authorization: `Bearer ${apiKey}` }, signal: controller.signal }
  try {
    return await fetch(`${baseUrl}/pets?limit=1`, options)
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

const isBan = async (response: Response): Promise<boolean> =>
  readCode({ status: response.status, body: await response.text() }) === 'api_key_banned'

/** Reads the seconds of `Retry-After`; 0 without it. */
const readRetryAfter = (response: Response | undefined): number => Number(response?.headers.get('Retry-After') ?? 0)
