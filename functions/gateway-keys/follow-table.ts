import { setTimeout } from 'node:timers/promises'
import { LimitExceededException } from '@aws-sdk/client-api-gateway'
import { type ApiKeyRecord, createGatewayKeyValue, isUsable } from '../../shared/api-keys/api-key-record.ts'
import type { KeyTable, StoredKey } from '../../shared/api-keys/key-table.ts'
import type { Clock } from '../../shared/clock.ts'
import type { GatewayKey, GatewayKeyClient } from './api-gateway.ts'

/** Time for which an ended key keeps its gateway key: an authorizer whose clock is behind may still admit the key. */
const endMarginSeconds = 60

/**
 * Time from the creation of a gateway key until requests are metered on it. The edge takes seconds, at times many
 * minutes, to know a new key. Until then requests are metered on the reserved key.
 */
const meteredAfterSeconds = 60 * 60

/** The longest time that a step takes with all attempts of its calls. */
const stepMilliseconds = 60_000

/** The longest time from the authorizer's read of a record to the metering: twice the authorizer's timeout. */
const inFlightMilliseconds = 10_000

/** The steps that make API Gateway agree with the table. */
interface Steps {
  /** Keys whose record gets a new gateway key value. The next run creates the gateway key. */
  readonly renew: readonly StoredKey[]
  /** Gateway keys to delete. */
  readonly remove: readonly GatewayKey[]
  /** Keys whose gateway key is created. */
  readonly create: readonly StoredKey[]
}

/**
 * Decides the steps that leave exactly the gateway keys that usable records name, each in the usage plan of its plan.
 *
 * A value that no usable record names is never named again (`createGatewayKeyValue`). So its gateway key may be
 * deleted at any time, also by a run that is late, that runs beside others, or that read the records long ago.
 */
const decideSteps = (
  records: readonly StoredKey[],
  gatewayKeys: readonly GatewayKey[],
  nowMilliseconds: number,
): Steps => {
  const nowByLateClock = nowMilliseconds / 1_000 - endMarginSeconds
  const usableKeys = records.filter(({ record }) => isUsable(record, nowByLateClock))
  const namedValues = new Set<string>(usableKeys.map(({ record }) => record.gatewayKey))
  const gatewayKeysByValue = new Map<string, GatewayKey>(gatewayKeys.map((key) => [key.value, key]))

  return {
    renew: usableKeys.filter(({ record }) => needsNewValue(record, gatewayKeysByValue.get(record.gatewayKey))),
    remove: gatewayKeys.filter(({ value }) => !namedValues.has(value)),
    create: usableKeys.filter(
      ({ record }) => record.meteredFrom === undefined && !gatewayKeysByValue.has(record.gatewayKey),
    ),
  }
}

/**
 * Whether a record must name another value than its present one.
 *
 * @param gatewayKey the gateway key with the present value, if there is one
 */
const needsNewValue = ({ meteredFrom, plan }: ApiKeyRecord, gatewayKey: GatewayKey | undefined): boolean => {
  // If the gateway key exists, a run was cut off after it created the gateway key. Nothing shows when it did, or
  // whether it added the gateway key to a usage plan.
  if (meteredFrom === undefined) return gatewayKey !== undefined
  // Somebody deleted the gateway key or moved it to another usage plan.
  return gatewayKey?.plan !== plan
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
 * Makes API Gateway follow the table: afterwards it has exactly the gateway keys that usable records name. Steps that
 * fail are logged, and the next run repeats them.
 *
 * A run may end after any step, and two runs may work at once: a later run makes the steps that are missing. No step
 * makes API Gateway refuse a customer's request.
 *
 * @throws Error if API Gateway or the table cannot be read
 */
export const followTable = async (dependencies: Dependencies): Promise<void> => {
  const { table, gateway, clock, pause = setTimeout } = dependencies

  // List the gateway keys before the records. Whoever created a gateway key had read its record first, so that record
  // is among `records`.
  const gatewayKeys = await gateway.list()
  const records = await table.list()
  const steps = decideSteps(records, gatewayKeys, clock())

  // A request that was authorized just before the table was read may still be metered on a key that is to be deleted.
  // Wait until the request has ended.
  if (steps.remove.length > 0) await pause(inFlightMilliseconds)

  for (const stored of steps.renew) {
    if (isTimeShort(dependencies)) return
    await attemptStep('renew', stored.record.keyId, () => nameNewGatewayKey(stored, table))
  }

  // Delete before creating: an account has room for 10,000 gateway keys.
  for (const { id } of steps.remove) {
    if (isTimeShort(dependencies)) return
    await attemptStep('remove', id, () => gateway.remove(id))
  }

  await createGatewayKeys(steps.create, dependencies)
}

/** Creates the gateway keys that records name, until the time is short or the account has no room for another key. */
const createGatewayKeys = async (keys: Steps['create'], dependencies: Dependencies): Promise<void> => {
  for (const stored of keys) {
    if (isTimeShort(dependencies)) return
    const failure = await attemptStep('create', stored.record.keyId, () => createGatewayKey(stored, dependencies))
    if (failure instanceof LimitExceededException) return
  }
}

const isTimeShort = ({ remainingMilliseconds }: Dependencies): boolean => remainingMilliseconds() < stepMilliseconds

/** Makes one step. Logs an error and returns it, so that other steps are still made. */
const attemptStep = async (step: keyof Steps, id: string, work: () => Promise<unknown>): Promise<unknown> => {
  try {
    await work()
    return undefined
  } catch (error) {
    console.error(`The step "${step}" of ${id} failed.`, error)
    return error
  }
}

/** Names a new gateway key in a record. The write does nothing if a command changed the record since it was read. */
const nameNewGatewayKey = async (stored: StoredKey, table: Dependencies['table']): Promise<void> => {
  await table.change(stored, { gatewayKey: createGatewayKeyValue(), meteredFrom: undefined })
}

/**
 * Creates the gateway key that a record names, and then writes into the record from when requests are metered on it.
 * The write does nothing if a command changed the record since it was read. The next run follows the command.
 */
const createGatewayKey = async (stored: StoredKey, { table, gateway, clock }: Dependencies): Promise<void> => {
  await gateway.create(stored.record)
  const meteredFrom = Math.ceil(clock() / 1_000) + meteredAfterSeconds
  await table.change(stored, { gatewayKey: stored.record.gatewayKey, meteredFrom })
}
