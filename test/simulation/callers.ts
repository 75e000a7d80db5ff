/** Callers with the TypeScript client, which do as the README says. */
import {
  type NewPet,
  PetAdoptionClient,
  PetAdoptionError,
} from '../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { petStatuses } from '../../shared/pets/pet.ts'
import { baseUrl } from './network.ts'
import type { World } from './world.ts'

/** Faults that a client survives with its eight attempts, even if the limits of its key end other attempts. */
const fewFaults = 3

/** The longest `Retry-After` for which the client waits by default. */
const longestWaitSeconds = 120

/** A caller's API key. Its owner replaces it when it is rotated. */
export interface Credential {
  apiKey: string
  readonly name: string
  isRevoked: boolean
  /** Whether a rotation that has not succeeded, or not yet, may have ended the key. */
  isInDoubt: boolean
}

/** A creation that a shelter may send again, with the same `Idempotency-Key`. */
interface SentCreation {
  readonly pet: NewPet
  readonly idempotencyKey: string
  readonly acknowledge: (id: number) => void
}

/**
 * Starts a shelter that adds animals. Now and then it sends an earlier creation again, as a program does that was
 * restarted, perhaps with the successor of its key.
 */
export const startShelter = async (world: World, credential: Credential, meanSeconds: number): Promise<void> => {
  const { petRules, isClosing, rest } = world
  const random = world.random.fork()
  const creations: SentCreation[] = []
  for (let number = 1; !isClosing(); number += 1) {
    await rest(random.untilNext(meanSeconds) * 1_000)
    if (isClosing() || credential.isRevoked) return
    const earlier = random.chance(0.2) ? creations[random.integer(0, creations.length - 1)] : undefined
    const name = `${credential.name} ${number}`
    const pet = { name, categoryId: random.integer(1, 9) }
    const creation = earlier ?? { pet, idempotencyKey: name, acknowledge: petRules.begin(name) }
    if (earlier === undefined) creations.push(creation)
    await call(world, credential, creation.pet.name, async (client) => {
      const { id } = await client.createPet(creation.pet, { idempotencyKey: creation.idempotencyKey })
      creation.acknowledge(Number(id))
    })
  }
}

/** Starts a site that lists the newest animals, or all. */
export const startSite = async (world: World, credential: Credential, meanSeconds: number): Promise<void> => {
  const { time, petRules, isOver, rest } = world
  const random = world.random.fork()
  while (!isOver() && !credential.isRevoked) {
    await rest(random.untilNext(meanSeconds) * 1_000)
    const status = random.pick([undefined, undefined, ...petStatuses])
    await call(world, credential, 'a list', async (client) => {
      const begin = time.now
      if (random.chance(0.1)) {
        const pets = await Array.fromAsync(client.pets({ limit: 100 }))
        petRules.checkList(
          pets.map(({ id }) => Number(id)),
          begin,
        )
      } else {
        const { pets } = await client.page(status === undefined ? { limit: 100 } : { limit: 20, status })
        petRules.checkPage(pets.map(({ id }) => Number(id)))
      }
    })
  }
}

/** Starts a caller that polls for new animals at an interval. */
export const startFollower = async (world: World, credential: Credential, intervalSeconds: number): Promise<void> => {
  const { petRules, isOver, history, time } = world
  const see = petRules.addFollower(credential.name)
  const stop = new AbortController()
  const client = new PetAdoptionClient({ baseUrl, apiKey: credential.apiKey, attempts: 1_000 })
  const follow = async (): Promise<void> => {
    for await (const pet of client.followPets({ intervalSeconds, signal: stop.signal })) see(Number(pet.id))
  }
  const ended = follow().catch((error) =>
    history.report('a client fails only after several faults', credential.name, String(error)),
  )
  while (!isOver()) await time.pause(10_000)
  stop.abort()
  await ended
}

/** Makes a call with the TypeScript client. Reports an error that a client must not get. */
const call = async (
  { history, faults }: World,
  credential: Credential,
  subject: string,
  work: (client: PetAdoptionClient) => Promise<void>,
): Promise<void> => {
  const { apiKey } = credential
  const client = new PetAdoptionClient({ baseUrl, apiKey })
  const { result: error, count } = await faults.countDuring(() => catchError(work(client)))
  if (error === undefined) return

  history.note(subject, `failed: ${error.code} ${error.status ?? ''}`)
  if (count > fewFaults || isOwnFault(error, credential, apiKey)) return
  const text = `${subject} failed after ${count} faults: ${error.code} ${error.message}`
  history.report('a client fails only after several faults', apiKey, text)
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
  const { isRevoked, isInDoubt } = credential
  if (status === 401) return isRevoked || isInDoubt || apiKey !== credential.apiKey
  return retryAfter > longestWaitSeconds
}
