/**
 * Faults that the service had, or could have. Each is put into the source when its module is loaded, to show that the
 * simulation finds it.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

interface KnownFault {
  /** Path of the file from the root of the repository. */
  readonly file: string
  readonly find: string
  readonly replaceBy: string
  /** The invariant that the fault breaks. */
  readonly invariant: string
}

export const knownFaults = {
  'Retry-After has no margin for clocks': {
    file: 'shared/rate-limit/windows.ts',
    find: 'const clockMarginSeconds = 1',
    replaceBy: 'const clockMarginSeconds = 0',
    invariant: 'who waits as long as Retry-After says is admitted',
  },
  'a key is metered as soon as its gateway key exists': {
    file: 'functions/gateway-keys/follow-table.ts',
    find: 'const meteredAfterSeconds = 60 * 60',
    replaceBy: 'const meteredAfterSeconds = 0',
    invariant: 'API Gateway refuses no request that the table has admitted',
  },
  'an overlap takes seconds for milliseconds': {
    file: 'infra/operations/keys/administration.ts',
    find: 'this.#nowInSeconds() + overlapSeconds,',
    replaceBy: 'this.#nowInSeconds() + overlapSeconds * 1_000,',
    invariant: 'no key works after its end',
  },
  'a retry adds another pet': {
    file: 'functions/create-pet/create-pet.ts',
    find: 'if (idempotencyKey === undefined) {',
    replaceBy: 'if (idempotencyKey !== null) {',
    invariant: 'a creation adds one animal',
  },
  'a minute has room for one request more': {
    file: 'shared/rate-limit/request-counter.ts',
    find: "'minuteCount < minuteLimit',",
    replaceBy: "'minuteCount <= minuteLimit',",
    invariant: 'no window is over its limit',
  },
  'the audit has the change of somebody else as done': {
    file: 'infra/operations/pets/apply-changes.ts',
    find: "newPlan.outcome === 'unchanged' && isOwnChange",
    replaceBy: "newPlan.outcome === 'unchanged'",
    invariant: 'no change is done in the audit that did not happen',
  },
  'a key above its lowered plan is metered on its usage plan': {
    file: 'shared/api-keys/plans.ts',
    find: 'return minuteLimit <= perMinute && dayLimit <= perDay',
    replaceBy: 'return true',
    invariant: 'API Gateway refuses no request that the table has admitted',
  },
  'a successor has an idempotencyScope of its own': {
    file: 'infra/operations/keys/key.ts',
    find: 'replaced?.idempotencyScope ?? ownScope',
    replaceBy: 'ownScope',
    invariant: 'a creation has one id',
  },
  'the audit has the same change of two operators of a key as done': {
    file: 'shared/api-keys/key-table.ts',
    find: 'const isOwn = isRepeated &&',
    replaceBy: 'const isOwn = isRepeated !== undefined &&',
    invariant: 'no change is done in the audit that did not happen',
  },
  'a rotation inherits terms that have changed meanwhile': {
    file: 'shared/api-keys/key-table.ts',
    find: 'this.#createUpdate(stored, change, inheritedTerms)',
    replaceBy: 'this.#createUpdate(stored, change)',
    invariant: 'the audit has each change once, with what it replaced',
  },
} as const satisfies Readonly<Record<string, KnownFault>>

export type KnownFaultName = keyof typeof knownFaults

/** The names, in the order in which they are written above. */
export const knownFaultNames = Object.keys(knownFaults) as readonly KnownFaultName[]

/**
 * Puts a fault into its module, which must not have been loaded yet.
 *
 * @throws Error if the module has no such text
 */
export const putBack = (name: KnownFaultName): void => {
  const { file, find, replaceBy } = knownFaults[name]
  const url = new URL(`../../${file}`, import.meta.url).href
  const source = readFileSync(fileURLToPath(url), 'utf8')
  if (!source.includes(find)) throw new Error(`${file} has no text "${find}": correct known-faults.ts.`)

  registerHooks({
    load: (loadedUrl, context, nextLoad) => {
      if (loadedUrl !== url) return nextLoad(loadedUrl, context)
      return { format: 'module-typescript', source: source.replace(find, replaceBy), shortCircuit: true }
    },
  })
}
