import {
  createPetAdoptionClient,
  dataOf,
  type Pet,
  type PetAdoptionClient,
  PetAdoptionError,
  page,
  pets,
} from '../../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import type { Call, Driver, Failure, Job, Outcome, Report } from './job.ts'

const drive = async ({ options, calls }: Job): Promise<Report> => {
  const waits: number[] = []
  const sleep = async (seconds: number) => {
    waits.push(seconds)
  }
  const client = createPetAdoptionClient({ ...options, sleep })
  const outcomes: Outcome[] = []
  for (const call of calls) {
    outcomes.push(await petsOf(client, call).then(asJson, (error: unknown) => ({ error: failureOf(error) })))
  }
  return { outcomes, waits }
}

export const typescriptDriver: Driver = { language: 'TypeScript', isFound: true, drive, stop: () => {} }

const petsOf = async (client: PetAdoptionClient, call: Call): Promise<readonly Pet[]> => {
  if ('page' in call) return (await page(client, call.page)).pets
  if ('pets' in call) {
    const received: Pet[] = []
    for await (const pet of pets(client, call.pets)) if (received.push(pet) === call.take) break
    return received
  }
  const { create, idempotencyKey } = call
  const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
  const body = { ...create, categoryId: BigInt(create.categoryId) }
  return [await dataOf(client.POST('/pets', { body, params: { header } }))]
}

const asJson = (received: readonly Pet[]): Outcome => ({
  pets: received.map((pet) => ({ ...pet, categoryId: String(pet.categoryId) })),
})

const failureOf = (error: unknown): Failure => {
  if (error instanceof PetAdoptionError) {
    const { status, code = null, retryAfter = null } = error
    return { status, code, retryAfter }
  }
  const isLost =
    error instanceof Error && (error.name === 'TimeoutError' || /^fetch failed|^terminated/.test(error.message))
  return isLost ? 'lost' : 'refused'
}
