import type { KeyHash } from '../../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord, KeyId } from '../../../shared/api-keys/api-key-record.ts'
import type { PlacedGatewayKey } from './edge-registry.ts'
import { type KeyStores, newGatewayKey, revocation, secondsOf, settle } from './settling.ts'

/** What is wrong with a key: what a command has left, or where its record and API Gateway differ. */
export type Problem = RecordProblem | 'gateway_key_without_record'

type RecordProblem =
  /** Its issue was interrupted before it was certain that somebody had seen it. */
  'unseen' | 'unfinished' | 'expired' | 'no_gateway_key' | 'wrong_usage_plan'

export interface Finding {
  readonly keyId: KeyId
  readonly problem: Problem
  readonly repaired: boolean
  /** Why a repair failed. */
  readonly failure: string | null
}

export type KeyCheck = Awaited<ReturnType<typeof checkKeys>>

/**
 * Finds what is unfinished, and where records and API Gateway differ. API Gateway is read before the records and after
 * them: a key without use was there before, a missing one is not there after, whatever other commands do meanwhile.
 */
export const checkKeys = async (stores: KeyStores, repair: boolean) => {
  const { table, edge } = stores
  const before = await edge.list()
  const records = await table.list()
  const after = new Map((await edge.list()).map((key) => [key.value, key]))
  const problems = new Map<KeyId, RecordProblem>()
  const findings: Finding[] = []
  for (const { keyHash, record } of records) {
    const problem = problemOf(record, after, secondsOf(stores.clock))
    if (problem === undefined) continue
    problems.set(record.keyId, problem)
    const latest = await table.read(keyHash)
    // Another command has changed it since.
    if (latest === undefined || problemOf(latest, after, secondsOf(stores.clock)) !== problem) continue
    if (latest.gatewayKey !== record.gatewayKey) continue
    const outcome = repair ? await attempt(() => repairKey(stores, keyHash, latest, problem)) : notRepaired
    findings.push({ keyId: record.keyId, problem, ...outcome })
  }
  const named = new Set<string | undefined>(records.map(({ record }) => record.gatewayKey))
  for (const key of before) {
    // The keys of one with a problem are settled with it.
    if (named.has(key.value) || !after.has(key.value) || problems.has(key.keyId)) continue
    const outcome = repair ? await attempt(() => edge.remove(key)) : notRepaired
    findings.push({ keyId: key.keyId, problem: 'gateway_key_without_record', ...outcome })
  }
  return { records: records.length, gatewayKeys: after.size, findings }
}

const problemOf = (
  { state, unfinished, expiresAt = Number.POSITIVE_INFINITY, gatewayKey, plan }: ApiKeyRecord,
  gatewayKeys: ReadonlyMap<string, PlacedGatewayKey>,
  now: number,
): RecordProblem | undefined => {
  if (unfinished !== undefined) return unfinished === 'showing' ? 'unseen' : 'unfinished'
  if (state === 'revoked') return undefined
  if (expiresAt <= now) return 'expired'
  const plans = gatewayKeys.get(gatewayKey ?? '')?.plans
  if (plans === undefined) return 'no_gateway_key'
  return plans.length === 1 && plans[0] === plan ? undefined : 'wrong_usage_plan'
}

const notRepaired = { repaired: false, failure: null } as const

/** A key that cannot be repaired does not prevent the repair of others. */
const attempt = async (task: () => Promise<unknown>): Promise<Pick<Finding, 'repaired' | 'failure'>> => {
  try {
    await task()
    return { repaired: true, failure: null }
  } catch (error) {
    return { repaired: false, failure: error instanceof Error ? error.message : String(error) }
  }
}

const repairKey = async (
  stores: KeyStores,
  keyHash: KeyHash,
  record: ApiKeyRecord,
  problem: RecordProblem,
): Promise<void> => {
  const { table, clock } = stores
  const { state, unfinished, expiresAt, gatewayKey, dayWindow } = record
  const expected = { state, unfinished, gatewayKey }
  switch (problem) {
    case 'unseen':
      // A key that has made a request was seen.
      if (dayWindow > 0) await table.change(keyHash, { unfinished: 'placing' }, expected)
      else await table.change(keyHash, revocation, { ...expected, dayWindow })
      break
    case 'expired':
      await table.change(keyHash, revocation, { ...expected, expiresAt })
      break
    case 'no_gateway_key':
    case 'wrong_usage_plan':
      await table.change(keyHash, newGatewayKey(record, secondsOf(clock)), expected)
  }
  await settle(stores, keyHash)
}
