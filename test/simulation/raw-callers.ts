/** Callers that send requests by themselves: some wait as long as `Retry-After` says, and some do not. */
import type { Callers, Credential } from './callers.ts'
import { baseUrl } from './network.ts'

/** Starts somebody who has found the key of a caller, and tries it now and then, also when it has ended. */
export const startThief = async (callers: Callers, { apiKey }: Credential): Promise<void> => {
  const { time, random, isOver } = callers
  const own = random.fork()
  while (!isOver()) {
    await time.pause(own.untilNext(300) * 1_000)
    await sendOnce(apiKey)
  }
}

/** Starts a caller that sends bursts of requests and goes on after a 429. */
export const startFlood = async (callers: Callers, { apiKey }: Credential): Promise<void> => {
  const { time, random, isOver } = callers
  const own = random.fork()
  while (!isOver()) {
    await time.pause(own.untilNext(1_200) * 1_000)
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
  const { time, random, isOver } = callers
  const own = random.fork()
  while (!isOver()) {
    const requests = own.integer(1, longestSeries)
    for (let sent = 0; sent < requests && !isOver(); sent += 1) {
      const retryAfter = readRetryAfter(await sendOnce(apiKey))
      await time.pause(retryAfter * 1_000 + own.between(0, 300))
    }
    await time.pause(own.untilNext(600) * 1_000)
  }
}

/** Refusals that are surely enough for a ban, with the requests that a minute admits before them. */
const requestsUntilBan = 130

/**
 * Starts a caller that sends requests one after the other and goes on after a 429, until it is banned or tires. Then it
 * waits as long as the last `Retry-After` says.
 */
export const startStubborn = async (callers: Callers, { apiKey }: Credential): Promise<void> => {
  const { time, random, isOver } = callers
  const own = random.fork()
  while (!isOver()) {
    let retryAfter = 0
    for (let sent = 0; sent < requestsUntilBan && !isOver(); sent += 1) {
      retryAfter = readRetryAfter(await sendOnce(apiKey))
      await time.pause(own.between(0, 20))
    }
    await time.pause(retryAfter * 1_000)
    await sendOnce(apiKey)
    await time.pause(own.untilNext(400) * 1_000)
  }
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

/** Reads the seconds of `Retry-After`; 0 without it. */
const readRetryAfter = (response: Response | undefined): number => Number(response?.headers.get('Retry-After') ?? 0)
