import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  createPetAdoptionClient,
  dataOf,
  type Pet,
  type PetAdoptionClient,
  type PetAdoptionClientOptions,
  PetAdoptionError,
  type PetQuery,
  page,
  pets,
} from '../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { hasPython, python, quietEnvironment } from './programs.ts'

/** What a client is made to do, and what is reported of that. Both are plain JSON. */
export interface Job {
  readonly options: Omit<PetAdoptionClientOptions, 'sleep'>
  readonly calls: readonly Call[]
}

type Call =
  | { readonly page: PetQuery }
  /** `take` leaves the loop after so many pets. */
  | { readonly pets: PetQuery; readonly take?: number }
  | { readonly create: NewPet; readonly idempotencyKey?: string }

/** The category is in decimal digits: JSON has it exactly as a string only. */
export interface NewPet {
  readonly name: string
  readonly categoryId: string
}

export interface Report {
  /** One for each call. */
  readonly outcomes: readonly Outcome[]
  /** The seconds of each wait. The waits are not made. */
  readonly waits: readonly number[]
}

export type Outcome =
  | { readonly pets: readonly (NewPet & Omit<Pet, 'categoryId'>)[] }
  /** What the API responded; or `lost`: no response came, or not in time; or `refused`: the client itself does not go on. */
  | { readonly error: object | 'lost' | 'refused' }

const inTypescript = async ({ options, calls }: Job): Promise<Report> => {
  const waits: number[] = []
  const client = createPetAdoptionClient({ ...options, sleep: async (seconds) => void waits.push(seconds) })
  const outcomes: Outcome[] = []
  for (const call of calls) {
    const received = petsOf(client, call).then((found) => ({
      pets: found.map(({ categoryId, ...pet }) => ({ ...pet, categoryId: String(categoryId) })),
    }))
    outcomes.push(await received.catch((error: unknown) => ({ error: failureOf(error) })))
  }
  return { outcomes, waits }
}

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

const failureOf = (error: unknown) => {
  if (error instanceof PetAdoptionError) {
    const { status, code = null, retryAfter = null } = error
    return { status, code, retryAfter }
  }
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  return name === 'TimeoutError' || /^fetch failed|^terminated/.test(message) ? 'lost' : 'refused'
}

const startPython = () => {
  const folder = fileURLToPath(new URL('../../../../../infra/reference/clients/python/', import.meta.url))
  const program = fileURLToPath(new URL('driver.py', import.meta.url))
  const env = { ...quietEnvironment, PYTHONPATH: folder }
  const child = spawn(python, ['-W', 'error', program], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  return { child, reports: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

/** One process runs all jobs, since to start it takes longer than most. */
let running: ReturnType<typeof startPython> | undefined

const inPython = async (job: Job): Promise<Report> => {
  running ??= startPython()
  running.child.stdin.write(`${JSON.stringify(job)}\n`)
  const { value, done } = await running.reports.next()
  if (done) throw new Error('Python ended before its report.')
  return JSON.parse(value)
}

export const drivers = [
  { language: 'TypeScript', drive: inTypescript, stop: () => {} },
  ...(hasPython() ? [{ language: 'Python', drive: inPython, stop: () => void running?.child.kill() }] : []),
]
