/**
 * Faults that the service must not have: at least one for each invariant. Each is put into the source when its module
 * is loaded, to show that the simulation finds it.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { ActorName } from './actor-names.ts'
import type { Invariant } from './invariants.ts'

/** A replacement of a text that its file has once. */
interface KnownFault {
  /** Path of the file from the root of the repository. */
  readonly file: string
  readonly find: string
  readonly replaceBy: string
  /** The fewest actors that show the fault, so that its simulation is short. */
  readonly actors: readonly ActorName[]
  /** A seed that shows the fault. The test tries others too, because a change of the simulation may move the fault. */
  readonly seed: number
  /** The invariant that the fault breaks. */
  readonly invariant: Invariant
}

const typescriptClient = 'infra/reference/clients/typescript/pet-adoption-client.ts'

export const knownFaults = {
  'Retry-After has no margin for clocks': {
    file: 'functions/authorizer/create-context.ts',
    find: 'const clockMarginSeconds = 1',
    replaceBy: 'const clockMarginSeconds = 0',
    // Several callers at once keep several instances, whose clocks differ.
    actors: ['patient'],
    seed: 1,
    invariant: 'a caller that does as its last headers say is admitted',
  },
  'a key is metered as soon as its gateway key exists': {
    file: 'functions/gateway-keys/follow-table.ts',
    find: 'const meteredAfterSeconds = 60 * 60',
    replaceBy: 'const meteredAfterSeconds = 0',
    actors: ['sites', 'key-operators'],
    seed: 1,
    invariant: 'API Gateway refuses no request that the table has admitted',
  },
  'no gateway key is deleted': {
    file: 'functions/gateway-keys/follow-table.ts',
    find: 'remove: gatewayKeys.filter(({ value }) => !namedValues.has(value)),',
    replaceBy: 'remove: [],',
    actors: ['shelters', 'sites', 'key-operators'],
    seed: 1,
    invariant: 'after two quiet runs API Gateway has exactly the keys asked for',
  },
  'an overlap takes seconds for milliseconds': {
    file: 'infra/commands/keys/issue-key.ts',
    find: 'nowSeconds + overlapSeconds',
    replaceBy: 'nowSeconds + overlapSeconds * 1_000',
    actors: ['shelters', 'thieves', 'key-operators'],
    seed: 1,
    invariant: 'no key works after its end',
  },
  'a command ends if another transaction writes its item': {
    file: 'infra/commands/environment/retry-policy.ts',
    find: ' || isInConflict(error)',
    replaceBy: '',
    actors: ['shelters', 'key-operators'],
    seed: 2,
    invariant: 'a command fails only after a fault',
  },
  'all keys have one gateway key': {
    file: 'shared/api-keys/api-key-record.ts',
    find: 'generateRandomText(24) as GatewayKeyValue',
    replaceBy: "'A'.repeat(24) as GatewayKeyValue",
    actors: ['sites'],
    seed: 1,
    invariant: 'no request is billed to another key',
  },
  'a minute has room for one request more': {
    file: 'shared/rate-limit/request-counter.ts',
    find: "'minuteCount < minuteLimit'",
    replaceBy: "'minuteCount <= minuteLimit'",
    actors: ['flood'],
    seed: 1,
    invariant: 'no window is over its limit',
  },
  'a response has a status that no pet has': {
    file: 'functions/create-pet/create-pet.ts',
    find: 'return created(pet, replayed',
    replaceBy: "return created({ ...pet, status: 'lost' as never }, replayed",
    actors: ['shelters'],
    seed: 1,
    invariant: 'every response is one of the contract',
  },
  'a retry adds another pet': {
    file: 'functions/create-pet/create-pet.ts',
    find: 'if (idempotencyKey === undefined) {',
    replaceBy: 'if (idempotencyKey !== null) {',
    actors: ['shelters'],
    seed: 1,
    invariant: 'a creation adds one animal',
  },
  'a pet is stored under another id than the response has': {
    file: 'shared/idempotency/add-pet-once.ts',
    find: 'pets.createPut(pet, attemptId, addedBy)',
    replaceBy: 'pets.createPut({ ...pet, id: pet.id + 1n }, attemptId, addedBy)',
    actors: ['shelters'],
    seed: 1,
    invariant: 'an acknowledged animal is there',
  },
  'a successor has an idempotencyScope of its own': {
    file: 'infra/commands/keys/key.ts',
    find: 'replaced?.idempotencyScope ?? ownScope',
    replaceBy: 'ownScope',
    actors: ['shelters', 'key-operators'],
    seed: 1,
    invariant: 'a creation adds one animal',
  },
  'a creation that was sent before is refused': {
    file: 'shared/idempotency/add-pet-once.ts',
    find: 'if (firstFingerprint !== fingerprint) throw',
    replaceBy: `
      if (firstAttemptId !== attemptId) {
        throw new ServiceError('service_unavailable', { headers: { 'Retry-After': '1' } })
      }
      if (firstFingerprint !== fingerprint) throw`,
    actors: ['shelters'],
    seed: 1,
    invariant: 'a client fails only after several faults',
  },
  'a list has a pet from two partitions of the index': {
    file: 'shared/pets/pet-table.ts',
    find: '.filter(({ id }, index, all) => id !== all[index - 1]?.id)',
    replaceBy: '',
    actors: ['shelters', 'sites', 'source'],
    seed: 3,
    invariant: 'a list has each animal that did not just change, once',
  },
  'a list ends after its first page': {
    file: 'shared/pets/pet-table.ts',
    find: 'limit: limit + 1, signal',
    replaceBy: 'limit, signal',
    actors: ['shelters', 'sites'],
    seed: 1,
    invariant: 'a list has each animal that did not just change, once',
  },
  'an animal that is no longer in the file of its source stays in the list': {
    file: 'infra/commands/pets/sync/listing.ts',
    find: "if (listing.state === 'missing' && next.state === 'missing') return true",
    replaceBy: "if (next.state === 'missing') return true",
    actors: ['source'],
    seed: 1,
    invariant: 'a source has the animals of its last file',
  },
  'the audit forgets a change that another one has followed': {
    file: 'infra/commands/environment/read-audit.ts',
    find: 'isLatest(record) || previousIds.has(record.changeId)',
    replaceBy: 'isLatest(record)',
    actors: ['source'],
    seed: 1,
    invariant: 'the audit has each change, with what it replaced and its outcome',
  },
  'a follower reads back only to the pets of its last poll': {
    file: typescriptClient,
    find: 'if (seen < previousPoll - 60_000) return pet.id',
    replaceBy: 'if (seen < previousPoll + 60_000) return pet.id',
    actors: ['source', 'followers'],
    seed: 1,
    invariant: 'a follower gets each animal once',
  },
  'a follower gets an animal at each poll': {
    file: typescriptClient,
    find: 'if (!firstSeen.has(pet.id)) {',
    replaceBy: 'if (firstSeen !== undefined) {',
    actors: ['source', 'followers'],
    seed: 1,
    invariant: 'a follower gets each animal once',
  },
  'a client tries a request once': {
    file: typescriptClient,
    find: '|| attempt >= attempts) throw result',
    replaceBy: '|| attempt > 0) throw result',
    actors: ['source', 'followers'],
    seed: 1,
    invariant: 'a client fails only after several faults',
  },
  'a client waits for a response for ever': {
    file: typescriptClient,
    find: 'startTimer(endAttempt, timeoutSeconds)',
    replaceBy: 'startTimer(endAttempt, timeoutSeconds * 1_000_000)',
    actors: ['sites'],
    seed: 1,
    invariant: 'every actor ends',
  },
} as const satisfies Readonly<Record<string, KnownFault>>

type KnownFaultName = keyof typeof knownFaults

/** The names, in the order in which they are written above. */
export const knownFaultNames = Object.keys(knownFaults) as readonly KnownFaultName[]

const toUrl = (file: string): string => new URL(`../../${file}`, import.meta.url).href

/** @returns a sentence, if the file does not have the text of a fault once */
export const findMistakes = (name: KnownFaultName): readonly string[] => {
  const { file, find } = knownFaults[name]
  const parts = readFileSync(fileURLToPath(toUrl(file)), 'utf8').split(find)
  return parts.length === 2 ? [] : [`${file} does not have "${find}" once: correct known-faults.ts.`]
}

/** Puts a fault into its module, which must not have been loaded yet. */
export const injectFault = (name: KnownFaultName): void => {
  const [mistake] = findMistakes(name)
  if (mistake !== undefined) throw new Error(mistake)
  const { file, find, replaceBy } = knownFaults[name]
  const faultyUrl = toUrl(file)
  registerHooks({
    load: (url, context, nextLoad) => {
      if (url !== faultyUrl) return nextLoad(url, context)
      const source = readFileSync(fileURLToPath(url), 'utf8').replace(find, () => replaceBy)
      return { format: 'module-typescript', source, shortCircuit: true }
    },
  })
}
