/** The invariant of the keys of API Gateway, which `gateway-keys` keeps as the table asks for them. */
import type { GatewayKey } from '../../functions/gateway-keys/api-gateway.ts'
import { isUsable, readApiKey, type StoredKey } from '../../shared/api-keys/api-key-record.ts'
import { fitsUsagePlan } from '../../shared/api-keys/plans.ts'
import type { History } from './history.ts'

/** Time after the end of a key in which API Gateway may still have its gateway key. */
const endMarginSeconds = 300

/**
 * Compares the keys of API Gateway with those that the table asks for, after two runs without faults.
 *
 * @param now milliseconds
 */
export const compareGatewayKeys = (
  history: History,
  storedKeys: readonly StoredKey[],
  gatewayKeys: readonly GatewayKey[],
  now: number,
): void => {
  const wanted: string[] = []
  const allowed: string[] = []
  for (const stored of storedKeys) {
    const reading = readApiKey(stored)
    if (reading.kind === 'malformed' || !fitsUsagePlan(reading.value)) continue
    const { value: record } = reading
    const key = `${record.gatewayKey} in ${record.plan}`
    if (isUsable(record, now / 1_000)) wanted.push(key)
    // A key that has just ended keeps its gateway key for a while.
    if (isUsable(record, now / 1_000 - endMarginSeconds)) allowed.push(key)
  }
  const present = gatewayKeys.map(({ value, plan }) => `${value} in ${plan}`)
  const missing = wanted.filter((key) => !present.includes(key))
  const unwanted = present.filter((key) => !allowed.includes(key))
  if (missing.length + unwanted.length === 0) return
  history.report(
    'after two quiet runs API Gateway has exactly the keys asked for',
    'gateway-keys',
    `missing: ${missing.join(', ')}; unwanted: ${unwanted.join(', ')}`,
  )
}
