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

/** A pet with its category in decimal digits, because JSON numbers do not hold every int64 in JavaScript. */
export interface NewPet {
  readonly name: string
  readonly categoryId: string
}

export type Call =
  | { readonly page: PetQuery }
  /** Goes through the pages, and leaves the loop after `stopAfter` pets. */
  | { readonly pets: PetQuery; readonly stopAfter?: number }
  | { readonly create: NewPet; readonly idempotencyKey?: string }

/** Calls for a client to make, in turn. Jobs and reports are plain JSON, for clients in other languages. */
export interface Job {
  readonly options: Omit<PetAdoptionClientOptions, 'sleep'>
  readonly calls: readonly Call[]
}

export type ListedPet = NewPet & Omit<Pet, 'categoryId'>

/**
 * Error that a client throws: an error response; `no response`, or none in time; or `client error`, which the client
 * throws itself.
 */
export type ErrorReport =
  | { readonly status: number; readonly code: string | null; readonly retryAfter: number | null }
  | 'no response'
  | 'client error'

export type Outcome = { readonly pets: readonly ListedPet[] } | { readonly error: ErrorReport }

export interface Report {
  /** Outcome of each call. */
  readonly outcomes: readonly Outcome[]
  /** Seconds of each wait between two attempts. The waits are only recorded, not made. */
  readonly waits: readonly number[]
}

export type Drive = (job: Job) => Promise<Report>

interface Driver {
  readonly language: string
  readonly drive: Drive
  readonly stop: () => void
}

const driveTypeScript: Drive = async ({ options, calls }) => {
  const waits: number[] = []
  const recordWait = async (seconds: number): Promise<void> => {
    waits.push(seconds)
  }
  const client = createPetAdoptionClient({ ...options, sleep: recordWait })

  const outcomes: Outcome[] = []
  for (const call of calls) {
    try {
      const received = await makeCall(client, call)
      outcomes.push({ pets: received.map(writeDigits) })
    } catch (error) {
      outcomes.push({ error: reportError(error) })
    }
  }
  return { outcomes, waits }
}

const writeDigits = ({ categoryId, ...pet }: Pet): ListedPet => ({ ...pet, categoryId: String(categoryId) })

const makeCall = async (client: PetAdoptionClient, call: Call): Promise<readonly Pet[]> => {
  if ('page' in call) return (await page(client, call.page)).pets
  if ('pets' in call) return await readPets(client, call.pets, call.stopAfter)

  const { create, idempotencyKey } = call
  const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
  const body = { ...create, categoryId: BigInt(create.categoryId) }
  return [await dataOf(client.POST('/pets', { body, params: { header } }))]
}

const readPets = async (client: PetAdoptionClient, query: PetQuery, stopAfter = Number.POSITIVE_INFINITY) => {
  const received: Pet[] = []
  for await (const pet of pets(client, query)) {
    received.push(pet)
    if (received.length === stopAfter) break
  }
  return received
}

const reportError = (error: unknown): ErrorReport => {
  if (error instanceof PetAdoptionError) {
    const { status, code = null, retryAfter = null } = error
    return { status, code, retryAfter }
  }
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const isWithoutResponse = name === 'TimeoutError' || /^fetch failed|^terminated/.test(message)
  return isWithoutResponse ? 'no response' : 'client error'
}

const startPython = () => {
  const client = fileURLToPath(new URL('../../../../../infra/reference/clients/python/', import.meta.url))
  const driver = fileURLToPath(new URL('driver.py', import.meta.url))
  const child = spawn(python, ['-W', 'error', driver], {
    env: { ...quietEnvironment, PYTHONPATH: client },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  return { child, reports: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

/** One process for all jobs: its start takes longer than most jobs. */
let pythonProcess: ReturnType<typeof startPython> | undefined

const drivePython: Drive = async (job) => {
  pythonProcess ??= startPython()
  pythonProcess.child.stdin.write(`${JSON.stringify(job)}\n`)
  const { value, done } = await pythonProcess.reports.next()
  if (done) throw new Error('Python ended before its report.')
  return JSON.parse(value)
}

const typeScriptDriver: Driver = {
  language: 'TypeScript',
  drive: driveTypeScript,
  stop: () => {},
}

const pythonDriver: Driver = {
  language: 'Python',
  drive: drivePython,
  stop: () => {
    pythonProcess?.child.kill()
  },
}

export const drivers: readonly Driver[] = hasPython() ? [typeScriptDriver, pythonDriver] : [typeScriptDriver]
