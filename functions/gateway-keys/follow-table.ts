import { setTimeout } from 'node:timers/promises'
import { LimitExceededException } from '@aws-sdk/client-api-gateway'
import {
  createGatewayKeyValue,
  createKeyReader,
  isUsable,
  type StoredKey,
} from '../../shared/api-keys/api-key-record.ts'
import type { KeyTable } from '../../shared/api-keys/key-table.ts'
import { fitsUsagePlan } from '../../shared/api-keys/plans.ts'
import type { Clock } from '../../shared/clock.ts'
import {
  describeMalformedItem,
  type MalformedItem,
  type ReadItem,
  type ReadValue,
  separateMalformed,
} from '../../shared/dynamodb/item-reader.ts'
import { authorizerTimeoutSeconds } from '../../shared/timeouts.ts'
import type { GatewayKey, GatewayKeyClient } from './api-gateway.ts'

/** Time for which an ended key keeps its gateway key: an authorizer whose clock is behind may still admit the key. */
const endMarginSeconds = 60

/**
 * Time from the creation of a gateway key until requests are metered on it. The edge takes seconds, at times many
 * minutes, to know a new key. Until then requests are metered on the unlimited gateway key.
 */
const meteredAfterSeconds = 60 * 60

/** The longest time that a step takes with all attempts of its calls. */
const stepMilliseconds = 60_000

/** The longest time from the authorizer's read of a record to the metering: twice the authorizer's timeout. */
const inFlightMilliseconds = 2 * authorizerTimeoutSeconds * 1_000

/** Reads what this function needs of a key. */
const readFollowedKey = createKeyReader([
  'keyId',
  'plan',
  'state',
  'expiresAt',
  'overlapEndsAt',
  'gatewayKey',
  'meteredFrom',
  'minuteLimit',
  'dayLimit',
])

type FollowedRecord = ReadValue<ReturnType<typeof readFollowedKey>>

/** A key of the table that this function can follow. */
type FollowedKey = ReadItem<FollowedRecord, StoredKey>

/** A key of the table that this function skips. */
type SkippedKey = MalformedItem<StoredKey>

/** The steps that make API Gateway agree with the table. */
interface Steps {
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
 * A value that no usable record names is never named again (`createGatewayKeyValue`). So its gateway key may be
 * deleted at any time, also by a run that is late, that runs beside others, or that read the records long ago.
 */
const decideSteps = (
  followedKeys: readonly FollowedKey[],
  skippedKeys: readonly SkippedKey[],
  gatewayKeys: readonly GatewayKey[],
  nowSeconds: number,
): Steps => {
  const lateClockSeconds = nowSeconds - endMarginSeconds
  const usableKeys = followedKeys.filter(({ value: record }) => isUsable(record, lateClockSeconds))
  // A key that is skipped may be usable: another version may know its plan. So its gateway key stays.
  const namingKeys = [...usableKeys, ...skippedKeys]
  const namedValues = new Set<unknown>(namingKeys.map(({ item }) => item['gatewayKey']))
  const gatewayKeysByValue = new Map<string, GatewayKey>(gatewayKeys.map((key) => [key.value, key]))

  return {
    renew: usableKeys.filter(({ value: record }) => needsNewValue(record, gatewayKeysByValue.get(record.gatewayKey))),
    remove: gatewayKeys.filter(({ value }) => !namedValues.has(value)),
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
  // If the gateway key exists, a run was cut off after it created the gateway key. Nothing shows when it did, or
  // whether it added the gateway key to a usage plan.
  if (record.meteredFrom === undefined) return gatewayKey !== undefined
  // The plan was lowered below the limits of the key. Without `meteredFrom` the key stays on the unlimited gateway key
  // while a later deployment raises the plan again: CloudFormation changes the authorizer before the usage plan.
  if (!fitsUsagePlan(record)) return true
  // Somebody deleted the gateway key or moved it to another usage plan.
  return gatewayKey?.plan !== record.plan
}

interface Dependencies {
  readonly table: Pick<KeyTable, 'list' | 'change'>
  readonly gateway: GatewayKeyClient
  readonly clock: Clock
  /** Remaining time of the function. */
  readonly remainingMilliseconds: () => number
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

/**
 * Makes API Gateway follow the table: afterwards it has exactly the gateway keys on which requests may be metered.
 * Steps that fail are logged, and the next run repeats them. A key that cannot be read is logged and skipped: nothing
 * changes in its record and its gateway key.
 *
 * A run may end after any step, and two runs may work at once: a later run makes the steps that are missing. No step
 * makes API Gateway refuse a customer's request.
 *
 * @throws Error if API Gateway or the table cannot be read, and after the last step if a step failed. Lambda counts
 * such a run as an error, which the alarm `gateway-keys` watches.
 */
export const followTable = async (dependencies: Dependencies): Promise<void> => {
  const { table, gateway, clock, remainingMilliseconds, pause = setTimeout } = dependencies

  // List the gateway keys before the records. Whoever created a gateway key had read its record first, so that record
  // is in the table.
  const gatewayKeys = await gateway.list()
  const { followedKeys, skippedKeys } = await readKeys(table)
  const steps = decideSteps(followedKeys, skippedKeys, gatewayKeys, clock() / 1_000)

  // A request that was authorized just before the table was read may still be metered on a key that is to be deleted.
  // Wait until the request has ended.
  if (steps.remove.length > 0) await pause(inFlightMilliseconds)

  let failedSteps = 0
  for (const step of listSteps(steps, dependencies)) {
    if (remainingMilliseconds() < stepMilliseconds) break
    const failure = await attemptStep(step)
    if (failure !== undefined) failedSteps += 1
    // The account has no room for another gateway key. Creations are the last steps.
    if (step.name === 'create' && failure instanceof LimitExceededException) break
  }
  if (failedSteps > 0) throw new Error(`${failedSteps} steps failed. The next run repeats them.`)
}

/** Reads the keys that may need a gateway key. Logs those that cannot be read. */
const readKeys = async (table: Dependencies['table']) => {
  const storedKeys = await table.list()
  // A revoked key needs no gateway key, whatever else its item has.
  const validKeys = storedKeys.filter(({ state }) => state !== 'revoked')
  const { readItems, malformedItems } = separateMalformed(validKeys.map(readFollowedKey))
  for (const key of malformedItems) console.error(describeMalformedItem(key))
  return { followedKeys: readItems, skippedKeys: malformedItems }
}

interface Step {
  readonly name: keyof Steps
  /** Id of the key in the table, or of the gateway key. */
  readonly id: string
  readonly make: () => Promise<void>
}

/** Lists the steps in the order in which they are made. */
const listSteps = ({ renew, remove, create }: Steps, dependencies: Dependencies): readonly Step[] => [
  ...renew.map(
    (key): Step => ({
      name: 'renew',
      id: key.value.keyId,
      make: () => nameNewGatewayKey(key, dependencies),
    }),
  ),
  // Delete before creating: an account has room for 10,000 gateway keys.
  ...remove.map(
    ({ id }): Step => ({
      name: 'remove',
      id,
      make: () => dependencies.gateway.remove(id),
    }),
  ),
  ...create.map(
    (key): Step => ({
      name: 'create',
      id: key.value.keyId,
      make: () => createGatewayKey(key, dependencies),
    }),
  ),
]

/** Makes one step. Logs an error and returns it, so that other steps are still made. */
const attemptStep = async ({ name, id, make }: Step): Promise<unknown> => {
  try {
    await make()
    return undefined
  } catch (error) {
    console.error(`The step "${name}" of ${id} failed.`, error)
    return error
  }
}

/** Names a new gateway key in a record. The write does nothing if a command changed the record since it was read. */
const nameNewGatewayKey = async ({ item }: FollowedKey, { table }: Dependencies): Promise<void> => {
  await table.change(item, { gatewayKey: createGatewayKeyValue(), meteredFrom: undefined })
}

/**
 * Creates the gateway key that a record names, and then writes into the record from when requests are metered on it.
 * The write does nothing if a command changed the record since it was read. The next run follows the command.
 */
const createGatewayKey = async (key: FollowedKey, { table, gateway, clock }: Dependencies): Promise<void> => {
  const { value: record, item } = key
  await gateway.create(record)
  const meteredFrom = Math.ceil(clock() / 1_000) + meteredAfterSeconds
  await table.change(item, { gatewayKey: record.gatewayKey, meteredFrom })
}
