import type { KeyHash } from '../../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, newGatewayKeyValue } from '../../../shared/api-keys/api-key-record.ts'
import type { KeyTable } from '../../../shared/api-keys/key-table.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { EdgeRegistry, GatewayKey } from './edge-registry.ts'

/** Where keys live, and what tells and passes time there. */
export interface KeyStores {
  readonly table: KeyTable
  readonly edge: EdgeRegistry
  readonly clock: Clock
  /** Waits for some milliseconds. */
  readonly pause: (milliseconds: number) => Promise<unknown>
}

/** The edge takes seconds, at times many minutes, to know a new API Gateway key. Until then requests use the reserved one. */
export const meteredAfterSeconds = 60 * 60

/** A request is metered at most this long after the authorizer has read the record: twice what the authorizer may take. */
const inFlightSeconds = 10

export const secondsOf = (clock: Clock): number => Math.floor(clock() / 1_000)

/**
 * The change of a record that asks for a new API Gateway key: in another usage plan, with another owner, or because the
 * one that it names is gone. API Gateway takes 20 to 128 letters and digits, each value once; it is no secret. Values
 * are never used again, so a value that no record names has no use any more.
 */
export const newGatewayKey = (
  { meteredFrom = Number.POSITIVE_INFINITY, previousKeyUntil }: Pick<ApiKeyRecord, 'meteredFrom' | 'previousKeyUntil'>,
  now: number,
) =>
  ({
    gatewayKey: newGatewayKeyValue(),
    meteredFrom: undefined,
    unfinished: 'placing',
    previousKeyUntil: meteredFrom <= now ? now + inFlightSeconds : previousKeyUntil,
  }) as const

/** The change of a record that ends a key at its next request. */
export const revocation = { state: 'revoked', unfinished: 'removing' } as const

/**
 * Ends what a command has begun with a key: makes API Gateway follow the record, and marks the record as finished. Any
 * number of commands may do so at the same time, and each may be killed at any moment.
 *
 * @returns the record after it
 */
export const settle = async (stores: KeyStores, keyHash: KeyHash): Promise<ApiKeyRecord> => {
  const { table, edge, clock } = stores
  for (;;) {
    const record = await readRecord(table, keyHash)
    const { unfinished, gatewayKey } = record
    if (unfinished === undefined || unfinished === 'showing') return record
    if (unfinished === 'placing') {
      await expirePredecessor(stores, record)
      await edge.put(record)
    }
    const found = await edge.find(record.keyId)
    // Read after API Gateway: what a command puts there stands in the record before.
    const latest = await readRecord(table, keyHash)
    await removeUnused(stores, latest, found)
    if (latest.unfinished !== unfinished || latest.gatewayKey !== gatewayKey) continue
    const settled = await table.change(
      keyHash,
      unfinished === 'placing'
        ? { ...finished, meteredFrom: secondsOf(clock) + meteredAfterSeconds }
        : { ...finished, meteredFrom: undefined, gatewayKey: undefined },
      { unfinished, gatewayKey },
    )
    if (settled !== undefined) return settled
  }
}

const finished = { unfinished: undefined, previousKeyUntil: undefined, overlapSeconds: undefined } as const

/** Deletes all API Gateway keys of a key but the one that its record names. */
const removeUnused = async (
  { edge, clock, pause }: KeyStores,
  { state, gatewayKey, previousKeyUntil = 0 }: ApiKeyRecord,
  found: readonly GatewayKey[],
): Promise<void> => {
  const unused = found.filter(({ value }) => state === 'revoked' || value !== gatewayKey)
  const left = previousKeyUntil * 1_000 - clock()
  if (unused.length > 0 && state === 'active' && left > 0) await pause(left)
  for (const key of unused) await edge.remove(key)
}

/** Lets the key that this one replaces expire after the overlap, or earlier if that was decided before. */
const expirePredecessor = async ({ table, clock }: KeyStores, record: ApiKeyRecord): Promise<void> => {
  const { keyId, predecessor, overlapSeconds } = record
  if (predecessor === undefined || overlapSeconds === undefined) return
  for (;;) {
    const stored = await table.find(predecessor)
    if (stored === undefined || stored.record.state === 'revoked') return
    const { expiresAt: before, successor } = stored.record
    if (successor === keyId) return
    const expiresAt = Math.min(before ?? Number.POSITIVE_INFINITY, secondsOf(clock) + overlapSeconds)
    const expected = { state: 'active', expiresAt: before, successor } as const
    if ((await table.change(stored.keyHash, { expiresAt, successor: keyId }, expected)) !== undefined) return
  }
}

const readRecord = async (table: KeyTable, keyHash: KeyHash): Promise<ApiKeyRecord> => {
  const record = await table.read(keyHash)
  if (record === undefined) throw new Error('The record of an API key is missing.')
  return record
}
