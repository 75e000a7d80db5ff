/** Callers of the API: some as its README wants them, and some not. */
import { PetAdoptionClient, PetAdoptionError } from '../../infra/reference/clients/typescript/pet-adoption-client.ts'
import type { History } from './history.ts'
import { baseUrl } from './network.ts'
import type { PetRules } from './pet-rules.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The longest `Retry-After` for which the client waits by default. */
const longestWaitSeconds = 120

/** The parts that all callers share. */
export interface Callers {
  readonly time: VirtualTime
  readonly random: Random
  readonly history: History
  readonly petRules: PetRules
  /** Whether the faults have ended, so that every caller must succeed. */
  readonly mustSucceed: () => boolean
  /** Whether nobody adds animals any more. */
  readonly isClosing: () => boolean
  /** Whether callers stop sending requests. */
  readonly isOver: () => boolean
}

/** A caller's API key. Its owner replaces it when it is rotated. */
export interface Credential {
  apiKey: string
  readonly name: string
  /** Whether an operator has revoked the key. */
  isRevoked: boolean
}

/** Starts a shelter that adds animals, with the TypeScript client. */
export const startShelter = async (callers: Callers, credential: Credential, meanSeconds: number): Promise<void> => {
  const { time, random, petRules, isClosing } = callers
  const own = random.fork()
  for (let number = 1; !isClosing(); number += 1) {
    await time.pause(own.untilNext(meanSeconds) * 1_000)
    if (isClosing() || credential.isRevoked) return
    const name = `${credential.name} ${number}`
    const acknowledge = petRules.begin(name)
    await call(callers, credential, name, async (client) => {
      const pet = await client.createPet({ name, categoryId: own.integer(1, 9) })
      await acknowledge(Number(pet.id))
    })
  }
}

/** Starts a site that lists the newest animals, with the TypeScript client. */
export const startReader = async (callers: Callers, credential: Credential, meanSeconds: number): Promise<void> => {
  const { time, random, isOver } = callers
  const own = random.fork()
  while (!isOver() && !credential.isRevoked) {
    await time.pause(own.untilNext(meanSeconds) * 1_000)
    const status = own.pick(['available', 'pending', 'sold', undefined] as const)
    await call(callers, credential, 'a list', async (client) => {
      await client.page(status === undefined ? { limit: 20 } : { limit: 20, status })
    })
  }
}

/** Starts somebody who has found the key of a caller, and tries it now and then, also when it has ended. */
export const startThief = async (callers: Callers, { apiKey }: Credential): Promise<void> => {
  const { time, random, isOver } = callers
  const own = random.fork()
  while (!isOver()) {
    await time.pause(own.untilNext(300) * 1_000)
    await sendOnce(apiKey)
  }
}

/** Starts a caller that follows new animals as the README says, with the TypeScript client. */
export const startFollower = async (callers: Callers, credential: Credential): Promise<void> => {
  const { petRules, isOver, history, time } = callers
  const see = petRules.addFollower(credential.name)
  const stop = new AbortController()
  const client = new PetAdoptionClient({ baseUrl, apiKey: credential.apiKey, attempts: 1_000 })
  const follow = async (): Promise<void> => {
    for await (const pet of client.followPets({ signal: stop.signal })) see(Number(pet.id))
  }
  const ended = follow().catch((error) => history.report('a follower goes on', credential.name, String(error)))
  while (!isOver()) await time.pause(10_000)
  stop.abort()
  await ended
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
      fetch(`${baseUrl}/pets?limit=1`, { headers: { Authorization: `Bearer ${apiKey}` } }).catch(() => undefined)
      await time.pause(own.between(1, 400))
    }
  }
}

/**
 * Starts a caller that sends requests as fast as its headers allow, one after the other, and waits as long as
 * `Retry-After` says.
 */
export const startCareful = async (callers: Callers, { apiKey }: Credential): Promise<void> => {
  const { time, random, isOver } = callers
  const own = random.fork()
  while (!isOver()) {
    const requests = own.integer(1, 90)
    for (let sent = 0; sent < requests && !isOver(); sent += 1) {
      const response = await sendOnce(apiKey)
      const retryAfter = Number(response?.headers.get('Retry-After') ?? 0)
      await time.pause(retryAfter * 1_000 + own.between(0, 300))
    }
    await time.pause(own.untilNext(600) * 1_000)
  }
}

/** Sends one request for a list. @returns undefined if no response came */
const sendOnce = async (apiKey: string): Promise<Response | undefined> => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('No response came.')), 30_000)
  const options = { headers: { Authorization: `Bearer ${apiKey}` }, signal: controller.signal }
  return fetch(`${baseUrl}/pets?limit=1`, options).catch(() => undefined)
}

/** Makes a call with the TypeScript client. Reports an error that a client must not get. */
const call = async (
  callers: Callers,
  credential: Credential,
  subject: string,
  work: (client: PetAdoptionClient) => Promise<void>,
): Promise<void> => {
  const { apiKey } = credential
  const mustSucceed = callers.mustSucceed()
  try {
    await work(new PetAdoptionClient({ baseUrl, apiKey }))
  } catch (error) {
    if (!(error instanceof PetAdoptionError)) throw error
    callers.history.note(subject, `failed: ${error.code} ${error.status ?? ''}`)
    if (isExpected(error, { credential, apiKey, mustSucceed })) return
    const text = `${subject} failed: ${error.code} ${error.message}`
    callers.history.report('a client succeeds once the faults have ended', apiKey, text)
  }
}

/** Whether a caller may get an error: its key has ended, it would wait too long, or there are faults. */
const isExpected = (
  { status, retryAfter = 0 }: PetAdoptionError,
  context: { readonly credential: Credential; readonly apiKey: string; readonly mustSucceed: boolean },
): boolean => {
  const { credential, apiKey, mustSucceed } = context
  if (status === 401) return credential.isRevoked || apiKey !== credential.apiKey
  return !mustSucceed || retryAfter > longestWaitSeconds
}
