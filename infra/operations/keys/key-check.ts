import type { KeyHash } from '../../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord, KeyId } from '../../../shared/api-keys/api-key-record.ts'
import { type EdgeRegistry, followRecord, type GatewayKey } from './edge-registry.ts'
import { issueSeconds, isUnfinished } from './issuing.ts'
import type { KeyTable } from './key-table.ts'

/** What is wrong with a key: where its record and API Gateway differ. */
export type Problem =
  /** Perhaps nothing: a key that is being issued at this moment looks the same. */
  | 'unfinished'
  | 'gateway_key_without_record'
  | 'gateway_key_of_revoked_key'
  | 'gateway_key_of_expired_key'
  | 'no_gateway_key'
  | 'wrong_usage_plan'

export interface Finding {
  readonly keyId: KeyId
  readonly problem: Problem
  readonly isRepaired: boolean
  /** Why a repair failed. */
  readonly failure: string | undefined
}

export interface KeyCheck {
  readonly records: number
  readonly gatewayKeys: number
  readonly findings: readonly Finding[]
}

interface Checked {
  readonly table: KeyTable
  readonly edge: EdgeRegistry
  /** Unix seconds. */
  readonly now: number
}

/** Finds where records and API Gateway differ, and with `repair` makes API Gateway follow the records. */
export const checkKeys = async (checked: Checked, repair: boolean): Promise<KeyCheck> => {
  const { table, edge, now } = checked
  // The records first: API Gateway has a key before its record is there.
  const records = new Map((await table.list()).map((record) => [record.keyHash, record]))
  const listed = await edge.list((keyHash) => records.has(keyHash))
  const gatewayKeys = new Map(listed.map((gatewayKey) => [gatewayKey.keyHash, gatewayKey]))
  const findings: Finding[] = []
  for (const keyHash of new Set([...records.keys(), ...gatewayKeys.keys()])) {
    const gatewayKey = gatewayKeys.get(keyHash)
    if (problemOf(records.get(keyHash), gatewayKey, now) === undefined) continue
    // The list comes from an index, which is updated after the table.
    const record = await table.read(keyHash)
    const problem = problemOf(record, gatewayKey, now)
    const keyId = record?.keyId ?? gatewayKey?.keyId
    if (problem === undefined || keyId === undefined) continue
    const outcome = repair ? await tryRepair(checked, { keyHash, keyId, record, problem }) : notRepaired
    findings.push({ keyId, problem, ...outcome })
  }
  return { records: records.size, gatewayKeys: gatewayKeys.size, findings }
}

type Decisive = Pick<ApiKeyRecord, 'plan' | 'state' | 'createdAt' | 'expiresAt'>

const problemOf = (
  record: Decisive | undefined,
  gatewayKey: GatewayKey | undefined,
  now: number,
): Problem | undefined => {
  if (record === undefined) {
    if (gatewayKey === undefined) return undefined
    return now < gatewayKey.createdAt + issueSeconds ? 'unfinished' : 'gateway_key_without_record'
  }
  if (record.state === 'revoked') return gatewayKey && 'gateway_key_of_revoked_key'
  if (record.expiresAt !== undefined && record.expiresAt <= now) return gatewayKey && 'gateway_key_of_expired_key'
  if (isUnfinished(record)) return 'unfinished'
  if (gatewayKey === undefined) return 'no_gateway_key'
  return gatewayKey.plans.length === 1 && gatewayKey.plans[0] === record.plan ? undefined : 'wrong_usage_plan'
}

const notRepaired = { isRepaired: false, failure: undefined } as const

interface Repaired {
  readonly keyHash: KeyHash
  readonly keyId: KeyId
  readonly record: ApiKeyRecord | undefined
  readonly problem: Problem
}

/** A key that cannot be repaired does not prevent the repair of others. */
const tryRepair = async (checked: Checked, key: Repaired): Promise<Pick<Finding, 'isRepaired' | 'failure'>> => {
  try {
    return { isRepaired: await repairKey(checked, key), failure: undefined }
  } catch (error) {
    return { isRepaired: false, failure: error instanceof Error ? error.message : String(error) }
  }
}

const repairKey = async ({ table, edge }: Checked, { keyHash, keyId, record, problem }: Repaired): Promise<boolean> => {
  switch (problem) {
    case 'unfinished':
      return false
    case 'gateway_key_of_expired_key':
      // First, so that nothing can make it usable again.
      if (!(await table.change(keyHash, { state: 'revoked' }, { expiresAt: record?.expiresAt }))) return false
      break
    case 'no_gateway_key':
    case 'wrong_usage_plan':
      await followRecord(table, edge, { keyHash, keyId }, (plan) => edge.assign(keyHash, keyId, plan))
      return true
  }
  await edge.remove(keyHash, keyId)
  return true
}
