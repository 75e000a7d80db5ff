/** Callers that send requests by themselves: some wait as long as `Retry-After` says, and some do not. */
import type { Credential } from './callers.ts'
import { readCode } from './edge.ts'
import { baseUrl } from './network.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

/** Starts somebody who has found the key of a caller, and tries it now and then, also when it has ended. */
export const startThief = async ({ random, isOver, rest }: World, apiKey: string): Promise<void> => {
  const own = random.fork()
  while (!isOver()) {
    await rest(own.untilNext(300) * 1_000)
    await sendOnce(apiKey)
  }
}

/** Starts a caller that sends bursts of requests and goes on after a 429. */
export const startFlood = async ({ time, random, isOver, rest }: World, { apiKey }: Credential): Promise<void> => {
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
 * Starts a caller that sends one request after the other. At times it goes on after a 429 until it is banned. Otherwise
 * it waits as long as `Retry-After` says, and no longer.
 */
export const startPatient = async (world: World, { apiKey }: Credential): Promise<void> => {
  const { time, isOver, rest } = world
  const random = world.random.fork()
  while (!isOver()) {
    // A ban at the end of a minute can meet the first request of the next one.
    if (random.chance(0.5)) await rest(untilEndOfMinute(time.now) - random.between(0, longestLeadMilliseconds))
    if (random.chance(0.5)) await rest((await sendUntilBanned(world, random, apiKey)) * 1_000)
    await sendSeries(world, random, apiKey)
    await rest(random.untilNext(120) * 1_000)
  }
}

/** Sends requests as fast as the headers allow, or slowly, and waits as long as `Retry-After` says. */
const sendSeries = async ({ isOver, rest }: World, random: Random, apiKey: string): Promise<void> => {
  const longestPause = random.pick([300, 16_000])
  for (let left = random.integer(1, longestSeries); left > 0 && !isOver(); left -= 1) {
    const retryAfter = readRetryAfter(await sendOnce(apiKey))
    await rest(retryAfter > 0 ? retryAfter * 1_000 : random.between(0, longestPause))
  }
}

/** The most requests that a patient caller sends in a series. */
const longestSeries = 50

/** Refusals that are surely enough for a ban, with the requests that a minute admits before them. */
const requestsUntilBan = 130

/** The longest time before the end of a minute in which some series begin. */
const longestLeadMilliseconds = 30_000

const untilEndOfMinute = (now: number): number => 60_000 - (now % 60_000)

/** Sends requests until some time after a ban, or until one gets no response. @returns the last `Retry-After` */
const sendUntilBanned = async ({ time, isOver }: World, random: Random, apiKey: string): Promise<number> => {
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
  const options = { headers: { Authorization: `Bearer ${apiKey}` }, signal: AbortSignal.timeout(30_000) }
  try {
    return await fetch(`${baseUrl}/pets?limit=1`, options)
  } catch {
    return undefined
  }
}

const isBan = async (response: Response): Promise<boolean> =>
  readCode({ status: response.status, body: await response.text() }) === 'api_key_banned'

/** Reads the seconds of `Retry-After`; 0 without it. */
const readRetryAfter = (response: Response | undefined): number => Number(response?.headers.get('Retry-After') ?? 0)
