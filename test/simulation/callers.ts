/** Callers with the TypeScript client, which do as the README says. */
import {
  type NewPet,
  PetAdoptionClient,
  PetAdoptionError,
} from '../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { petStatuses } from '../../shared/pets/pet.ts'
import type { Faults } from './faults.ts'
import type { FollowerRules } from './follower-rules.ts'
import type { History } from './history.ts'
import type { ListRules } from './list-rules.ts'
import { baseUrl } from './network.ts'
import type { PetRules } from './pet-rules.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Faults that a client survives with its eight attempts, even if the limits of its key end other attempts. */
const fewFaults = 3

/** The longest `Retry-After` for which the client waits by default. */
const longestWaitSeconds = 120

/** The parts that all callers share. */
export interface Callers {
  readonly time: VirtualTime
  readonly random: Random
  readonly faults: Faults
  readonly history: History
  readonly petRules: PetRules
  readonly followerRules: FollowerRules
  readonly listRules: ListRules
  /** Whether the faults have ended, so that every caller must succeed. */
  readonly mustSucceed: () => boolean
  /** Whether nobody adds animals any more. */
  readonly isClosing: () => boolean
  /** Whether callers stop sending requests. */
  readonly isOver: () => boolean
  /** Pauses an actor between two actions, at the longest until callers stop sending requests. */
  readonly rest: (milliseconds: number) => Promise<void>
}

/** A caller's API key. Its owner replaces it when it is rotated. */
export interface Credential {
  apiKey: string
  readonly name: string
  /** Whether an operator has revoked the key. */
  isRevoked: boolean
  /** Whether a command may have ended the key although it was killed or has failed. */
  isInDoubt: boolean
  /** Commands under way that may have ended the key already. */
  endsUnderWay: number
}

/** A creation that a shelter may send again, with the same `Idempotency-Key`. */
export interface SentCreation {
  readonly name: string
  readonly pet: NewPet
  readonly idempotencyKey: string
  readonly sentAt: number
  readonly acknowledge: (id: number) => Promise<void>
}

/** An `Idempotency-Key` is kept for 24 hours. */
const longestRepetitionMilliseconds = 23 * 3_600_000

/**
 * Starts a shelter that adds animals. Now and then it sends an earlier creation again, as a program does that was
 * restarted, perhaps with the successor of its key.
 */
export const startShelter = async (callers: Callers, credential: Credential, meanSeconds: number): Promise<void> => {
  const { time, random, isClosing, rest } = callers
  const own = random.fork()
  let creations: SentCreation[] = []
  for (let number = 1; !isClosing(); number += 1) {
    await rest(own.untilNext(meanSeconds) * 1_000)
    if (isClosing() || credential.isRevoked) return
    creations = creations.filter(({ sentAt }) => sentAt > time.now - longestRepetitionMilliseconds)
    const earlier = own.chance(0.2) ? creations[own.integer(0, creations.length - 1)] : undefined
    const creation = earlier ?? beginCreation(callers, own, `${credential.name} ${number}`)
    if (earlier === undefined) creations.push(creation)
    await sendCreation(callers, credential, creation)
  }
}

/** Begins a creation, whose request may be sent several times. */
export const beginCreation = ({ petRules, time }: Callers, random: Random, name: string): SentCreation => ({
  name,
  pet: { name, categoryId: random.integer(1, 9) },
  idempotencyKey: `${name} ${random.integer(0, 1e9)}`,
  sentAt: time.now,
  acknowledge: petRules.begin(name),
})

const sendCreation = (callers: Callers, credential: Credential, creation: SentCreation): Promise<void> => {
  const { name, pet, idempotencyKey, acknowledge } = creation
  return call(callers, credential, name, async (client) => {
    const created = await client.createPet(pet, { idempotencyKey })
    await acknowledge(Number(created.id))
  })
}

/** Starts a site that lists the newest animals. */
export const startSite = async (callers: Callers, credential: Credential, meanSeconds: number): Promise<void> => {
  const { random, listRules, isOver, rest } = callers
  const own = random.fork()
  while (!isOver() && !credential.isRevoked) {
    await rest(own.untilNext(meanSeconds) * 1_000)
    const status = own.chance(0.5) ? undefined : own.pick(petStatuses)
    await call(callers, credential, 'a page', async (client) => {
      const { pets } = await client.page(status === undefined ? { limit: 100 } : { limit: 20, status })
      listRules.checkPage(pets.map(({ id }) => Number(id)))
    })
  }
}

/** Starts a site that lists all animals. */
export const startLister = async (callers: Callers, credential: Credential, meanSeconds: number): Promise<void> => {
  const { time, random, listRules, isOver, rest } = callers
  const own = random.fork()
  while (!isOver() && !credential.isRevoked) {
    await rest(own.untilNext(meanSeconds) * 1_000)
    await call(callers, credential, 'a list', async (client) => {
      const begin = time.now
      const pets = await Array.fromAsync(client.pets({ limit: 100 }))
      listRules.checkList(
        pets.map(({ id }) => Number(id)),
        begin,
      )
    })
  }
}

/** Starts a caller that polls for new animals at an interval. */
export const startFollower = async (
  callers: Callers,
  credential: Credential,
  intervalSeconds: number,
): Promise<void> => {
  const { followerRules, isOver, history, time } = callers
  const see = followerRules.addFollower(credential.name)
  const stop = new AbortController()
  const client = new PetAdoptionClient({ baseUrl, apiKey: credential.apiKey, attempts: 1_000 })
  const follow = async (): Promise<void> => {
    for await (const pet of client.followPets({ intervalSeconds, signal: stop.signal })) see(Number(pet.id))
  }
  const ended = follow().catch((error) => history.report('a follower goes on', credential.name, String(error)))
  while (!isOver()) await time.pause(10_000)
  stop.abort()
  await ended
}

/** Makes a call with the TypeScript client. Reports an error that a client must not get. */
const call = async (
  callers: Callers,
  credential: Credential,
  subject: string,
  work: (client: PetAdoptionClient) => Promise<void>,
): Promise<void> => {
  const { history, faults } = callers
  const { apiKey } = credential
  const mustSucceed = callers.mustSucceed()
  const client = new PetAdoptionClient({ baseUrl, apiKey })
  const { result: error, count } = await faults.countDuring(() => catchError(work(client)))
  if (error === undefined) return

  history.note(subject, `failed: ${error.code} ${error.status ?? ''}`)
  if (isOwnFault(error, credential, apiKey)) return
  const text = `${subject} failed: ${error.code} ${error.message}`
  if (mustSucceed) history.report('a client succeeds once the faults have ended', apiKey, text)
  else if (count <= fewFaults) history.report('a few faults make no client fail', subject, text)
}

/** Waits for a call. @returns its error, if it fails */
const catchError = async (called: Promise<void>): Promise<PetAdoptionError | undefined> => {
  try {
    await called
    return undefined
  } catch (error) {
    if (error instanceof PetAdoptionError) return error
    throw error
  }
}

/** Whether a caller gets an error whatever the service does: its key has ended, or it would wait too long. */
const isOwnFault = ({ status, retryAfter = 0 }: PetAdoptionError, credential: Credential, apiKey: string): boolean => {
  const { isRevoked, isInDoubt, endsUnderWay } = credential
  if (status === 401) return isRevoked || isInDoubt || endsUnderWay > 0 || apiKey !== credential.apiKey
  return retryAfter > longestWaitSeconds
}
