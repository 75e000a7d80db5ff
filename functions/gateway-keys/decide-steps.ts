import { createKeyReader, isUsable, type StoredKey } from '../../shared/api-keys/api-key-record.ts'
import { fitsUsagePlan } from '../../shared/api-keys/plans.ts'
import type { MalformedItem, ReadItem, ReadValue } from '../../shared/dynamodb/item-reader.ts'
import type { GatewayKey } from './api-gateway.ts'

/**
 * Time for which a key that has ended keeps its gateway key (`authorizer/metering.ts`): an authorizer whose clock is
 * behind still admits requests of the key.
 */
const endMarginSeconds = 60

/** Reads what this function needs of a key. */
export const readFollowedKey = createKeyReader({
  needed: [
    'keyId',
    'plan',
    'state',
    'expiresAt',
    'overlapEndsAt',
    'gatewayKey',
    'meteredFrom',
    'minuteLimit',
    'dayLimit',
  ],
})

/** The part of a key's record that decides about its gateway key. */
type FollowedRecord = ReadValue<ReturnType<typeof readFollowedKey>>

/** A key of the table that this function can read, and so follows. */
export type FollowedKey = ReadItem<FollowedRecord, StoredKey>

/** A key of the table that this function cannot read, and so skips. */
type SkippedKey = MalformedItem<StoredKey>

/** The steps that make API Gateway agree with the table. */
export interface Steps {
  /** Keys whose record gets a new gateway key value. The next run creates the gateway key. */
  readonly renew: readonly FollowedKey[]
  /** Gateway keys to delete. */
  readonly remove: readonly GatewayKey[]
  /** Keys whose gateway key is created. */
  readonly create: readonly FollowedKey[]
}

/**
 * Decides the steps that leave exactly the gateway keys that usable records name, each in the usage plan of its plan.
 * A record whose limits exceed its usage plan gets no gateway key: the authorizer meters its requests on the unlimited
 * gateway key.
 *
 * Once no usable record names a value, no record ever names that value again (`createGatewayKeyValue`). So the gateway
 * key with the value may be deleted at any time, even by a run that is late, runs beside others, or has read the
 * records long ago.
 */
export const decideSteps = (
  followedKeys: readonly FollowedKey[],
  skippedKeys: readonly SkippedKey[],
  gatewayKeys: readonly GatewayKey[],
  nowSeconds: number,
): Steps => {
  const lateClockTime = nowSeconds - endMarginSeconds
  const usableKeys = followedKeys.filter(({ value: record }) => isUsable(record, lateClockTime))
  // A key that is skipped may be usable: another version may know its plan. So its gateway key stays.
  const keysWithGatewayKey = [...usableKeys, ...skippedKeys]
  const neededValues = new Set<unknown>(keysWithGatewayKey.map(({ item }) => item['gatewayKey']))
  const gatewayKeysByValue = new Map<string, GatewayKey>(gatewayKeys.map((key) => [key.value, key]))

  return {
    renew: usableKeys.filter(({ value: record }) => needsNewValue(record, gatewayKeysByValue.get(record.gatewayKey))),
    remove: gatewayKeys.filter(({ value }) => !neededValues.has(value)),
    create: usableKeys.filter(
      ({ value: record }) =>
        record.meteredFrom === undefined && !gatewayKeysByValue.has(record.gatewayKey) && fitsUsagePlan(record),
    ),
  }
}

/**
 * Whether a record must name another value than its present one.
 *
 * @param gatewayKey the gateway key with the present value, if there is one
 */
const needsNewValue = (record: FollowedRecord, gatewayKey: GatewayKey | undefined): boolean => {
  // A gateway key without `meteredFrom` is left from a run that was cut off. Nothing shows when the run created the
  // gateway key, or whether it added the gateway key to a usage plan. So another one takes its place.
  if (record.meteredFrom === undefined) return gatewayKey !== undefined
  // The plan was lowered below the limits of the key. Without `meteredFrom` the key stays on the unlimited gateway key
  // while a later deployment raises the plan again: CloudFormation changes the authorizer before the usage plan.
  if (!fitsUsagePlan(record)) return true
  // Somebody deleted the gateway key or moved it to another usage plan.
  return gatewayKey?.plan !== record.plan
}
