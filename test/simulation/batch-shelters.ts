/** Shelters whose program runs every few minutes and does not retry: what fails is sent again by the next run. */
import { PetAdoptionClient, PetAdoptionError } from '../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { beginCreation, type Callers, type Credential, type SentCreation } from './callers.ts'
import { baseUrl } from './network.ts'

const shortestIntervalSeconds = 60

/** The most animals that are new at a run. */
const largestBatch = 15

/** Starts a shelter. A creation that fails may have reserved an id, under which a later run must not add the animal. */
export const startBatchShelter = async (
  callers: Callers,
  credential: Credential,
  longestIntervalSeconds: number,
): Promise<void> => {
  const { random, isClosing, rest } = callers
  const own = random.fork()
  let creations: SentCreation[] = []
  for (let run = 1; !isClosing() && !credential.isRevoked; run += 1) {
    await rest(own.between(shortestIntervalSeconds, longestIntervalSeconds) * 1_000)
    const newCount = own.integer(0, largestBatch)
    for (let number = 1; number <= newCount && !isClosing(); number += 1) {
      creations.push(beginCreation(callers, own, `${credential.name} ${run}.${number}`))
    }

    creations = await sendAll(callers, credential, creations)
  }
}

/** Sends creations, one after the other. @returns those whose animals were not added */
const sendAll = async (
  callers: Callers,
  credential: Credential,
  creations: readonly SentCreation[],
): Promise<SentCreation[]> => {
  const failed: SentCreation[] = []
  for (const creation of creations) {
    const isAdded = !callers.isClosing() && (await sendOnce(callers, credential, creation))
    if (!isAdded) failed.push(creation)
  }
  return failed
}

/** Sends a creation once. @returns whether its animal was added */
const sendOnce = async ({ history }: Callers, { apiKey }: Credential, creation: SentCreation): Promise<boolean> => {
  const { name, pet, idempotencyKey, acknowledge } = creation
  const client = new PetAdoptionClient({ baseUrl, apiKey, attempts: 1 })
  try {
    const created = await client.createPet(pet, { idempotencyKey })
    await acknowledge(Number(created.id))
    return true
  } catch (error) {
    if (!(error instanceof PetAdoptionError)) throw error
    history.note(name, `failed: ${error.code} ${error.status ?? ''}`)
    return false
  }
}
