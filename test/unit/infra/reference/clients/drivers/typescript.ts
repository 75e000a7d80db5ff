import {
  createPetAdoptionClient,
  dataOf,
  type PetAdoptionClient,
  PetAdoptionError,
  page,
  pets,
  type Pet as ReceivedPet,
  type Wait as ToldWait,
} from '../../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import type { Call, Driver, Failure, Job, Outcome, Pets, Report, Wait } from './job.ts'

const drive = async ({ options, calls, stopsAtWait = false }: Job): Promise<Report> => {
  const waits: Wait[] = []
  const onWait = ({ status, ...wait }: ToldWait) => {
    if (stopsAtWait) throw new Error('stopped')
    waits.push({ ...wait, status: status ?? null })
  }
  const client = createPetAdoptionClient({ ...options, onWait, sleep: async () => {} })
  const outcomes: Outcome[] = []
  for (const call of calls) outcomes.push(await outcomeOf(client, call))
  return { outcomes, waits }
}

export const typescriptDriver: Driver = { language: 'TypeScript', isFound: true, drive, stop: () => {} }

const outcomeOf = async (client: PetAdoptionClient, call: Call): Promise<Outcome> => {
  try {
    return await petsOf(client, call)
  } catch (error) {
    return { error: failureOf(error) }
  }
}

const petsOf = async (client: PetAdoptionClient, call: Call): Promise<Outcome> => {
  if ('page' in call) {
    const { pets: received, nextCursor = null, limits = null } = await page(client, call.page)
    return { ...asJson(received), nextCursor, limits }
  }
  if ('pets' in call) {
    const received: ReceivedPet[] = []
    for await (const pet of pets(client, call.pets)) if (received.push(pet) === call.take) break
    return asJson(received)
  }
  const { create, idempotencyKey } = call
  const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
  const body = { ...create, categoryId: BigInt(create.categoryId) }
  return asJson([await dataOf(client.POST('/pets', { body, params: { header } }))])
}

const asJson = (received: readonly ReceivedPet[]): Pets => ({
  pets: received.map((pet) => ({ ...pet, categoryId: String(pet.categoryId) })),
})

const failureOf = (error: unknown): Failure => {
  if (error instanceof PetAdoptionError) {
    const { status, code = null, message, retryAfter = null } = error
    return { kind: 'response', status, code, message, retryAfter }
  }
  if (!(error instanceof Error)) throw error
  if (error.name === 'TimeoutError') return { kind: 'time-out' }
  return ['fetch failed', 'terminated'].includes(error.message)
    ? { kind: 'lost' }
    : { kind: 'refused', message: error.message }
}
