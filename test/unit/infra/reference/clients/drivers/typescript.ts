import {
  createPetAdoptionClient,
  dataOf,
  type PetAdoptionClient,
  PetAdoptionError,
  pets,
  type Pet as ReceivedPet,
} from '../../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import type { Call, Driver, Failure, Job, Outcome, Pet, Report } from './job.ts'

const drive = async ({ options, calls }: Job): Promise<Report> => {
  const waits: number[] = []
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds / 1_000)
  }
  const client = createPetAdoptionClient({ ...options, sleep })
  const outcomes: Outcome[] = []
  for (const call of calls) outcomes.push(await outcomeOf(client, call))
  return { outcomes, waits }
}

export const typescriptDriver: Driver = { language: 'TypeScript', isFound: true, drive, stop: () => {} }

const outcomeOf = async (client: PetAdoptionClient, call: Call): Promise<Outcome> => {
  try {
    return { pets: (await petsOf(client, call)).map(asJson) }
  } catch (error) {
    return { error: failureOf(error) }
  }
}

const petsOf = async (client: PetAdoptionClient, call: Call): Promise<ReceivedPet[]> => {
  if ('page' in call) return dataOf(client.GET('/pets', { params: { query: call.page } }))
  if ('pets' in call) return Array.fromAsync(pets(client, call.pets))
  const { create, idempotencyKey } = call
  const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
  const body = { ...create, categoryId: BigInt(create.categoryId) }
  return [await dataOf(client.POST('/pets', { body, params: { header } }))]
}

const asJson = (pet: ReceivedPet): Pet => ({ ...pet, categoryId: String(pet.categoryId) })

const failureOf = (error: unknown): Failure => {
  if (error instanceof PetAdoptionError) {
    return { kind: 'response', status: error.status, code: error.code ?? null, message: error.message }
  }
  if (!(error instanceof Error)) throw error
  if (error.name === 'TimeoutError') return { kind: 'time-out' }
  return ['fetch failed', 'terminated'].includes(error.message)
    ? { kind: 'lost' }
    : { kind: 'refused', message: error.message }
}
