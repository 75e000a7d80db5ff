/**
 * Faults that the service had, or could have. Each is put into the source when its module is loaded, to show that the
 * simulation finds it.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Invariant } from './invariants.ts'
import type { ActorName } from './parts.ts'

/** A replacement of a text that a file has once. */
interface Edit {
  /** Path of the file from the root of the repository. */
  readonly file: string
  readonly find: string
  readonly replaceBy: string
}

interface KnownFault {
  readonly edits: readonly Edit[]
  /** The fewest actors that show the fault, so that its simulation is short. */
  readonly actors: readonly ActorName[]
  /**
   * The seed that showed the fault soonest. After a change of the simulation another seed may show it, so the test then
   * tries others.
   */
  readonly seed: number
  /** The invariant that the fault breaks. */
  readonly invariant: Invariant
}

export const knownFaults = {
  'Retry-After has no margin for clocks': {
    edits: [
      {
        file: 'functions/authorizer/create-context.ts',
        find: 'const clockMarginSeconds = 1',
        replaceBy: 'const clockMarginSeconds = 0',
      },
    ],
    // Several callers at once keep several instances, whose clocks differ.
    actors: ['careful', 'stubborn'],
    seed: 1,
    invariant: 'who waits as long as Retry-After says is admitted',
  },
  'a key is metered as soon as its gateway key exists': {
    edits: [
      {
        file: 'functions/gateway-keys/follow-table.ts',
        find: 'const meteredAfterSeconds = 60 * 60',
        replaceBy: 'const meteredAfterSeconds = 0',
      },
    ],
    actors: ['sites', 'key-operators'],
    seed: 1,
    invariant: 'API Gateway refuses no request that the table has admitted',
  },
  'an overlap takes seconds for milliseconds': {
    edits: [
      {
        file: 'infra/operations/keys/administration.ts',
        find: 'nowSeconds + overlapSeconds,',
        replaceBy: 'nowSeconds + overlapSeconds * 1_000,',
      },
    ],
    actors: ['shelters', 'thieves', 'key-operators'],
    seed: 1,
    invariant: 'no key works after its end',
  },
  'a rotation ends if another transaction writes the key': {
    edits: [
      {
        file: 'infra/operations/environment/retry-policy.ts',
        find: ' || isCanceledForNow(error)',
        replaceBy: '',
      },
    ],
    actors: ['shelters', 'key-operators'],
    seed: 3,
    invariant: 'a command succeeds once the faults have ended',
  },
  'a retry adds another pet': {
    edits: [
      {
        file: 'functions/create-pet/create-pet.ts',
        find: 'if (idempotencyKey === undefined) {',
        replaceBy: 'if (idempotencyKey !== null) {',
      },
    ],
    actors: ['shelters'],
    seed: 1,
    invariant: 'a creation adds one animal',
  },
  'a minute has room for one request more': {
    edits: [
      {
        file: 'shared/rate-limit/request-counter.ts',
        find: "'minuteCount < minuteLimit'",
        replaceBy: "'minuteCount <= minuteLimit'",
      },
    ],
    actors: ['flood'],
    seed: 1,
    invariant: 'no window is over its limit',
  },
  'a day has room for one request more': {
    edits: [
      {
        file: 'shared/rate-limit/request-counter.ts',
        find: "const dayHasRoomCondition = 'dayCount < dayLimit'",
        replaceBy: "const dayHasRoomCondition = 'dayCount <= dayLimit'",
      },
    ],
    actors: ['flood'],
    seed: 6,
    invariant: 'no window is over its limit',
  },
  'a key above its lowered plan is metered on its usage plan': {
    edits: [
      {
        file: 'shared/api-keys/plans.ts',
        find: 'return minuteLimit <= perMinute && dayLimit <= perDay',
        replaceBy: 'return true',
      },
    ],
    actors: ['lowered-plan'],
    seed: 1,
    invariant: 'API Gateway refuses no request that the table has admitted',
  },
  'a successor has an idempotencyScope of its own': {
    edits: [
      {
        file: 'infra/operations/keys/key.ts',
        find: 'replaced?.idempotencyScope ?? ownScope',
        replaceBy: 'ownScope',
      },
    ],
    actors: ['shelters', 'key-operators'],
    seed: 1,
    invariant: 'a creation has one id',
  },
  'the audit forgets a change that another one has followed': {
    edits: [
      {
        file: 'infra/operations/environment/read-audit.ts',
        find: 'isLatest(record) || previousIds.has(record.changeId)',
        replaceBy: 'isLatest(record)',
      },
    ],
    actors: ['shelters', 'sites', 'listers', 'key-operators'],
    seed: 2,
    invariant: 'the audit has the outcome of each change of a key',
  },
  'a rotation inherits terms that have changed meanwhile': {
    edits: [
      {
        file: 'infra/operations/environment/change-audit.ts',
        find: '} = :previous`',
        replaceBy: '} = :previous OR attribute_exists(keyHash)`',
      },
    ],
    actors: ['shelters', 'sites', 'key-operators'],
    seed: 6,
    invariant: 'the audit has each change of a key once, with what it replaced',
  },
  'a request waits for another of its Idempotency-Key, longer than Retry-After says': {
    edits: [
      {
        file: 'shared/idempotency/add-pet-once.ts',
        find: '    const record = parseRecord(item)\n',
        replaceBy: `
          const record = parseRecord(item)
          const isLocked = clock() < readDrawTime(record.petId) + 15_000
          if (isLocked) throw new ServiceError('service_unavailable', { headers: { 'Retry-After': '1' } })
        `,
      },
    ],
    actors: ['shelters', 'batch-shelters'],
    seed: 3,
    invariant: 'a few faults make no client fail',
  },
  'a list has a pet from two partitions of the index': {
    edits: [
      {
        file: 'shared/pets/pet-store.ts',
        find: '.filter(({ id }, index, all) => id !== all[index - 1]?.id)',
        replaceBy: '',
      },
    ],
    actors: ['shelters', 'sites', 'pet-operators'],
    seed: 8,
    invariant: 'a list repeats no animal',
  },
  'an instance that was frozen bans a key for refusals of an earlier minute': {
    edits: [
      {
        file: 'shared/rate-limit/request-counter.ts',
        find: "['refusalCount >= :refusals', 'banCount = :bans', ...sameWindowsConditions, overLimitCondition]",
        replaceBy: "['banCount = :bans']",
      },
      {
        file: 'shared/rate-limit/request-counter.ts',
        find: "        ':refusals': record.refusalCount,\n",
        replaceBy: '',
      },
      {
        file: 'shared/rate-limit/request-counter.ts',
        find: `
        ':bans': record.banCount,
        ...currentWindows(request),
        ...windowsOf(record),`,
        replaceBy: "':bans': record.banCount,",
      },
    ],
    actors: ['stubborn'],
    seed: 10,
    invariant: 'no request is refused that the last headers allowed',
  },
  'a gateway key is deleted while requests are metered on it': {
    edits: [
      {
        file: 'functions/gateway-keys/follow-table.ts',
        find: 'if (steps.remove.length > 0) await pause(inFlightMilliseconds)',
        replaceBy: '',
      },
    ],
    actors: ['moved-customers'],
    seed: 6,
    invariant: 'API Gateway refuses no request that the table has admitted',
  },
} as const satisfies Readonly<Record<string, KnownFault>>

export type KnownFaultName = keyof typeof knownFaults

/** The names, in the order in which they are written above. */
export const knownFaultNames = Object.keys(knownFaults) as readonly KnownFaultName[]

/**
 * Puts a fault into its modules, which must not have been loaded yet.
 *
 * @throws Error if a module does not have a text once
 */
export const putBack = (name: KnownFaultName): void => {
  const sources = new Map<string, string>()
  for (const { file, find, replaceBy } of knownFaults[name].edits) {
    const url = new URL(`../../${file}`, import.meta.url).href
    const parts = (sources.get(url) ?? readFileSync(fileURLToPath(url), 'utf8')).split(find)
    if (parts.length !== 2) throw new Error(`${file} does not have "${find}" once: correct known-faults.ts.`)
    sources.set(url, parts.join(replaceBy))
  }

  registerHooks({
    load: (url, context, nextLoad) => {
      const source = sources.get(url)
      if (source === undefined) return nextLoad(url, context)
      return { format: 'module-typescript', source, shortCircuit: true }
    },
  })
}
