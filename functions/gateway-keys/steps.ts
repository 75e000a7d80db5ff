import { isUsable } from '../../shared/api-keys/api-key-record.ts'
import type { StoredKey } from '../../shared/api-keys/key-table.ts'
import type { Plan } from '../../shared/api-keys/plans.ts'

/** An API key of API Gateway that belongs to this environment. */
export interface GatewayKey {
  /** API Gateway's own id. */
  readonly id: string
  readonly value: string
  /** In whose usage plan it is. It is in one at most, as they are of one stage ("CreateUsagePlanKey"). */
  readonly plan: Plan | undefined
}

/** One thing that makes API Gateway follow the table. */
export type Step =
  /** The record asks for another API Gateway key, where the one that it names is gone or in a wrong usage plan. */
  | { readonly kind: 'renew'; readonly stored: StoredKey }
  | { readonly kind: 'remove'; readonly gatewayKey: GatewayKey }
  /** The API Gateway key that the record asks for is created if there is none, put in its usage plan, and used in an hour. */
  | { readonly kind: 'give'; readonly stored: StoredKey; readonly found: GatewayKey | undefined }

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
  const present = new Map<string, GatewayKey>(gatewayKeys.map((key) => [key.value, key]))
  const usable = records.filter(({ record }) => isUsable(record, now - endMarginSeconds))
  const asked = new Set<string>(usable.map(({ record }) => record.gatewayKey))
  const wanted = usable.flatMap((stored): Step[] => {
    const { gatewayKey, meteredFrom, plan } = stored.record
    const found = present.get(gatewayKey)
    const isMetered = meteredFrom !== undefined
    if (found?.plan === plan) return isMetered ? [] : [{ kind: 'give', stored, found }]
    return isMetered || found?.plan !== undefined ? [{ kind: 'renew', stored }] : [{ kind: 'give', stored, found }]
  })
  const unasked = gatewayKeys.filter(({ value }) => !asked.has(value))
  return [
    ...wanted.filter(({ kind }) => kind === 'renew'),
    ...unasked.map((gatewayKey) => ({ kind: 'remove', gatewayKey }) as const),
    ...wanted.filter((step) => step.kind === 'give' && step.found !== undefined),
    ...wanted.filter((step) => step.kind === 'give' && step.found === undefined),
  ]
}
