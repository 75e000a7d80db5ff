import { type GatewayKeyValue, isUsable } from '../../shared/api-keys/api-key-record.ts'
import type { StoredKey } from '../../shared/api-keys/key-table.ts'
import type { Plan } from '../../shared/api-keys/plans.ts'

/** An API key of API Gateway that belongs to this environment. */
export interface GatewayKey {
  /** API Gateway's own id. */
  readonly id: string
  readonly value: string
  /** The plans of this environment in whose usage plans it is. */
  readonly plans: readonly Plan[]
}

/** One thing that makes API Gateway follow the table. */
export type Step =
  /** The record stops to name an API Gateway key that is gone or in a wrong usage plan, and asks for another one. */
  | { readonly kind: 'renew'; readonly stored: StoredKey }
  /** The API Gateway key is deleted. */
  | { readonly kind: 'remove'; readonly gatewayKey: GatewayKey }
  /** The API Gateway key that the record asks for is created if there is none, put in its usage plan, and used in an hour. */
  | { readonly kind: 'give'; readonly stored: StoredKey & Asking; readonly found: GatewayKey | undefined }

interface Asking {
  readonly record: { readonly gatewayKey: GatewayKeyValue }
}

/** A function whose clock is behind this one's may still admit a key that has just ended. */
const endMarginSeconds = 60

/**
 * The steps that make API Gateway have just the keys that the usable records ask for, each in the usage plan of its plan.
 * Deletions come before creations, as an account has room for 10,000 keys.
 *
 * An API Gateway key that no usable record asks for is never asked for again. So it may be deleted at any time, also by a
 * run that is late, beside others, or that read its record long ago.
 *
 * @param gatewayKeys read before the records: who creates one has read its record, so that is among them
 * @param now in Unix seconds
 */
export const steps = (records: readonly StoredKey[], gatewayKeys: readonly GatewayKey[], now: number): Step[] => {
  const present = new Map(gatewayKeys.map((key) => [key.value, key]))
  const usable = records.filter(({ record }) => isUsable(record, now - endMarginSeconds))
  const asked = new Set<string | undefined>(usable.map(({ record }) => record.gatewayKey))
  const wanted = usable.flatMap((stored) => wantedOf(stored, present) ?? [])
  return [
    ...wanted.filter(({ kind }) => kind === 'renew'),
    ...gatewayKeys
      .filter(({ value }) => !asked.has(value))
      .map((gatewayKey) => ({ kind: 'remove', gatewayKey }) as const),
    ...wanted.filter((step) => step.kind === 'give' && step.found !== undefined),
    ...wanted.filter((step) => step.kind === 'give' && step.found === undefined),
  ]
}

/** @returns undefined where API Gateway follows the record */
const wantedOf = (
  { keyHash, record }: StoredKey,
  present: ReadonlyMap<string, GatewayKey>,
): Exclude<Step, { readonly kind: 'remove' }> | undefined => {
  const { gatewayKey, meteredFrom, plan } = record
  const renewal = { kind: 'renew', stored: { keyHash, record } } as const
  if (gatewayKey === undefined) return renewal
  const found = present.get(gatewayKey)
  const isPlaced = found?.plans.length === 1 && found.plans[0] === plan
  if (meteredFrom !== undefined) return isPlaced ? undefined : renewal
  const isElsewhere = !isPlaced && found !== undefined && found.plans.length > 0
  return isElsewhere ? renewal : { kind: 'give', stored: { keyHash, record: { ...record, gatewayKey } }, found }
}
