import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  type FollowingOptions,
  type Pet,
  PetAdoptionClient,
  type PetAdoptionClientOptions,
  PetAdoptionError,
  type PetQuery,
} from '../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { hasPython, python, quietEnvironment } from './programs.ts'

/** A pet with its category in decimal digits, because JSON numbers do not hold every int64 in JavaScript. */
export interface NewPet {
  readonly name: string
  readonly categoryId: string
}

type FollowOptions = Omit<FollowingOptions, 'signal'>

export type Call =
  | { readonly page: PetQuery }
  /** Goes through the pages, and leaves the loop after `stopAfter` pets. */
  | { readonly pets: PetQuery; readonly stopAfter?: number }
  /** Follows new pets. After `stopAfter` pets it gives the signal to end. */
  | { readonly follow: FollowOptions; readonly stopAfter: number }
  | { readonly create: NewPet; readonly idempotencyKey?: string }

/** Calls for a client to make, in turn. Jobs and reports are plain JSON, for clients in other languages. */
export interface Job {
  readonly options: Omit<PetAdoptionClientOptions, 'sleep'>
  readonly calls: readonly Call[]
}

export type ListedPet = NewPet & Omit<Pet, 'categoryId'>

/** A `PetAdoptionError`. A client that throws anything else ends the test. */
export interface ErrorReport {
  readonly code: string
  readonly status: number | null
  readonly requestId: string | null
  readonly retryAfter: number | null
}

export type Outcome =
  | { readonly pets: readonly ListedPet[] }
  | { readonly error: ErrorReport }
  /** Message about a setting that cannot work. */
  | { readonly refused: string }

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
  const outcomes: Outcome[] = []
  for (const call of calls) {
    try {
      const client = new PetAdoptionClient({ ...options, sleep: recordWait })
      const received = await makeCall(client, call)
      outcomes.push({ pets: received.map(writeDigits) })
    } catch (error) {
      outcomes.push(reportError(error))
    }
  }
  return { outcomes, waits }
}

const writeDigits = ({ categoryId, ...pet }: Pet): ListedPet => ({ ...pet, categoryId: String(categoryId) })

const makeCall = async (client: PetAdoptionClient, call: Call): Promise<readonly Pet[]> => {
  if ('page' in call) return (await client.page(call.page)).pets
  if ('pets' in call) return await readPets(client.pets(call.pets), call.stopAfter)
  if ('follow' in call) return await followPets(client, call.follow, call.stopAfter)

  const { create, idempotencyKey } = call
  const pet = { ...create, categoryId: BigInt(create.categoryId) }
  return [await client.createPet(pet, idempotencyKey === undefined ? {} : { idempotencyKey })]
}

const readPets = async (pets: AsyncIterable<Pet>, stopAfter = Number.POSITIVE_INFINITY) => {
  const received: Pet[] = []
  for await (const pet of pets) {
    received.push(pet)
    if (received.length === stopAfter) break
  }
  return received
}

const followPets = async (client: PetAdoptionClient, options: FollowOptions, stopAfter: number) => {
  const controller = new AbortController()
  const received: Pet[] = []
  for await (const pet of client.followPets({ ...options, signal: controller.signal })) {
    received.push(pet)
    if (received.length === stopAfter) controller.abort()
  }
  return received
}

const reportError = (error: unknown): Outcome => {
  if (error instanceof PetAdoptionError) {
    const { code, status = null, requestId = null, retryAfter = null } = error
    return { error: { code, status, requestId, retryAfter } }
  }
  if (error instanceof TypeError || error instanceof RangeError) return { refused: error.message }
  throw error
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
  // JSON has no NaN.
  const text = JSON.stringify(job, (_name, member) => (Number.isNaN(member) ? 'NaN' : member))
  pythonProcess.child.stdin.write(`${text}\n`)
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
    // Another test file of the same worker may drive the client too: it starts a process of its own.
    pythonProcess = undefined
  },
}

export const drivers: readonly Driver[] = hasPython() ? [typeScriptDriver, pythonDriver] : [typeScriptDriver]
