import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import {
  type FollowingOptions,
  type Pet,
  PetAdoptionClient,
  type PetAdoptionClientOptions,
  PetAdoptionError,
  type PetQuery,
} from '../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { hasPython, python, quietEnvironment } from '../../../../fixtures/machine/programs.ts'

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
  /**
   * Follows new pets. It gives the signal to end after `stopAfter` pets, or during the wait with the number
   * `stopInWait`. Its clock advances only during waits.
   */
  | { readonly follow: FollowOptions; readonly stopAfter?: number; readonly stopInWait?: number }
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
  const outcomes: Outcome[] = []
  for (const call of calls) {
    try {
      const received = await makeCall(options, call, waits)
      outcomes.push({ pets: received.map(writeDigits) })
    } catch (error) {
      outcomes.push(reportError(error))
    }
  }
  return { outcomes, waits }
}

const writeDigits = ({ categoryId, ...pet }: Pet): ListedPet => ({ ...pet, categoryId: String(categoryId) })

const makeCall = async (options: Job['options'], call: Call, waits: number[]): Promise<readonly Pet[]> => {
  if ('follow' in call) return await followPets(options, call, waits)
  const recordWait = async (seconds: number): Promise<void> => {
    waits.push(seconds)
  }
  const client = new PetAdoptionClient({ ...options, sleep: recordWait })
  if ('page' in call) return (await client.page(call.page)).pets
  if ('pets' in call) return await readPets(client.pets(call.pets), call.stopAfter)

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

const followPets = async (
  options: Job['options'],
  { follow, stopAfter, stopInWait }: Extract<Call, { follow: object }>,
  waits: number[],
) => {
  const controller = new AbortController()
  const client = new PetAdoptionClient({
    ...options,
    sleep: async (seconds, signal) => {
      waits.push(seconds)
      if (waits.length === stopInWait) controller.abort()
      signal?.throwIfAborted()
    },
  })
  const clock = vi
    .spyOn(performance, 'now')
    .mockImplementation(() => waits.reduce((sum, seconds) => sum + seconds * 1_000, 0))
  const received: Pet[] = []
  try {
    for await (const pet of client.followPets({ ...follow, signal: controller.signal })) {
      received.push(pet)
      if (received.length === stopAfter) controller.abort()
    }
  } finally {
    clock.mockRestore()
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
