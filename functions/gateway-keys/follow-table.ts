/**
 * The table of keys decides, and API Gateway *follows*: after two undisturbed runs it has exactly the gateway keys on
 * which requests may be metered, whatever was changed, failed or was interrupted before. `authorizer/metering.ts`
 * defines gateway keys, the unlimited gateway key and metering.
 */
import { setTimeout } from 'node:timers/promises'
import { LimitExceededException } from '@aws-sdk/client-api-gateway'
import { createGatewayKeyValue } from '../../shared/api-keys/api-key-record.ts'
import type { KeyTable } from '../../shared/api-keys/key-table.ts'
import type { Clock } from '../../shared/clock.ts'
import { describeMalformedItem, separateMalformed } from '../../shared/dynamodb/item-reader.ts'
import { authorizerTimeoutSeconds } from '../../shared/timeouts.ts'
import type { GatewayKeyClient } from './api-gateway.ts'
import { decideSteps, type FollowedKey, readFollowedKey, type Steps } from './decide-steps.ts'

/**
 * Time from the creation of a gateway key until requests are metered on it. The edge of API Gateway, which meters them,
 * takes seconds, at times many minutes, to know a new key. Until then requests are metered on the unlimited gateway
 * key.
 */
const meteredAfterSeconds = 60 * 60

/** The longest time of a step, with the calls that the SDK repeats: 70 s, measured while API Gateway is silent. */
const stepMilliseconds = 70_000

/** The longest time from the authorizer's read of a record to the metering: twice the authorizer's timeout. */
const inFlightMilliseconds = 2 * authorizerTimeoutSeconds * 1_000

const unlimitedKeyMessage =
  'The unlimited gateway key is missing or disabled, so API Gateway refuses requests. No run repairs it: follow ' +
  'infra/RUNBOOK.md, "The unlimited gateway key is missing".'

interface Dependencies {
  readonly table: Pick<KeyTable, 'list' | 'change'>
  readonly gateway: GatewayKeyClient
  readonly clock: Clock
  /** Remaining time of the function. */
  readonly remainingMilliseconds: () => number
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

/**
 * Makes API Gateway follow the table. Steps that fail are logged, and the next run repeats them. A key that cannot be
 * read is logged and skipped: nothing changes in its record and its gateway key.
 *
 * A run may end after any step, and two runs may work at once: a later run makes the steps that are missing. No step
 * makes API Gateway refuse a customer's request.
 *
 * @throws Error if API Gateway or the table cannot be read, and after the last step if a step failed or the unlimited
 * gateway key does not work. Lambda counts such a run as an error, which the alarm `gateway-keys` watches.
 */
export const followTable = async (dependencies: Dependencies): Promise<void> => {
  const { table, gateway, clock, remainingMilliseconds, pause = setTimeout } = dependencies

  // List the gateway keys before the records. A run creates a gateway key only for a record that it has read, so the
  // record of each listed gateway key is already in the table.
  const { gatewayKeys, isUnlimitedKeyUsable } = await gateway.list()
  const { followedKeys, skippedKeys } = await readKeys(table)
  const steps = decideSteps(followedKeys, skippedKeys, gatewayKeys, clock() / 1_000)

  // A request that was authorized just before the table was read may still be metered on a key that is to be deleted.
  // Wait until the request has ended.
  if (steps.remove.length > 0) await pause(inFlightMilliseconds)

  const failedSteps = await makeSteps(listSteps(steps, dependencies), remainingMilliseconds)
  if (!isUnlimitedKeyUsable) throw new Error(unlimitedKeyMessage)
  if (failedSteps > 0) throw new Error(`${failedSteps} steps failed. The next run repeats them.`)
}

/** Makes steps while the function has time, and returns the number of failed steps. */
const makeSteps = async (steps: readonly Step[], remainingMilliseconds: () => number): Promise<number> => {
  let failedSteps = 0
  for (const step of steps) {
    if (remainingMilliseconds() < stepMilliseconds) break
    const failure = await makeStep(step)
    if (failure !== undefined) failedSteps += 1
    // The account has no room for another gateway key. Only creations, which are the last steps, can fail so.
    if (failure instanceof LimitExceededException) break
  }
  return failedSteps
}

/** Reads the keys that may need a gateway key. Logs the keys that cannot be read. */
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
const makeStep = async ({ name, id, make }: Step): Promise<unknown> => {
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
