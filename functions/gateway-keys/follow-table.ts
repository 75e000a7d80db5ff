import { setTimeout } from 'node:timers/promises'
import { LimitExceededException } from '@aws-sdk/client-api-gateway'
import { createGatewayKeyValue, isUsable } from '../../shared/api-keys/api-key-record.ts'
import type { KeyTable, StoredKey } from '../../shared/api-keys/key-table.ts'
import type { Clock } from '../../shared/clock.ts'
import type { createGatewayKeyClient, GatewayKey } from './api-gateway.ts'

/** A function whose clock is behind this one's may still admit a key that has just ended. */
const endMarginSeconds = 60

/**
 * What makes API Gateway have just the keys that the usable records ask for, each in the usage plan of its plan: records ask
 * for another key, keys are deleted, and keys are created, in this order, as an account has room for 10,000.
 *
 * An API Gateway key that no usable record asks for is never asked for again. So it may be deleted at any time, also by a
 * run that is late, beside others, or that read its record long ago.
 *
 * @param gatewayKeys read before the records: who creates one has read its record, so that is among them
 * @param now in Unix seconds
 */
const decideSteps = (records: readonly StoredKey[], gatewayKeys: readonly GatewayKey[], now: number) => {
  const usable = records.filter(({ record }) => isUsable(record, now - endMarginSeconds))
  const asked = new Set<string>(usable.map(({ record }) => record.gatewayKey))
  const present = new Map<string, GatewayKey>(gatewayKeys.map((gatewayKey) => [gatewayKey.value, gatewayKey]))
  return {
    // It is gone or in a wrong plan; or a run was cut off, and nobody knows whether the key is in a plan, and since when.
    renew: usable.filter(({ record: { gatewayKey, meteredFrom, plan } }) =>
      meteredFrom === undefined ? present.has(gatewayKey) : present.get(gatewayKey)?.plan !== plan,
    ),
    remove: gatewayKeys.filter(({ value }) => !asked.has(value)),
    create: usable.filter(({ record }) => record.meteredFrom === undefined && !present.has(record.gatewayKey)),
  }
}

interface Surroundings {
  readonly table: Pick<KeyTable, 'list' | 'change'>
  readonly gateway: ReturnType<typeof createGatewayKeyClient>
  readonly clock: Clock
  /** Until the function is ended. */
  readonly millisecondsLeft: () => number
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

/** The edge takes seconds, at times many minutes, to know a new API Gateway key. Until then requests use the reserved one. */
const meteredAfterSeconds = 60 * 60

/** The longest that a step takes with all its attempts. */
const stepMilliseconds = 60_000

/** A request is metered at most this long after the authorizer has read its record: twice what the authorizer may take. */
const inFlightMilliseconds = 10_000

/**
 * Makes API Gateway follow the table. It may be cut off anywhere, or run twice at a time: each step is one that every later
 * run finds done or takes itself, and none refuses a request of a customer.
 *
 * @throws Error where API Gateway or the table cannot be read
 */
export const followTable = async ({ table, gateway, clock, millisecondsLeft, pause = setTimeout }: Surroundings) => {
  const gatewayKeys = await gateway.list()
  const { renew, remove, create } = decideSteps(await table.list(), gatewayKeys, clock() / 1_000)
  // Until then requests may be metered on a key that the record named just before it was read.
  if (remove.length > 0) await pause(inFlightMilliseconds)

  // Where a command has changed a record meanwhile, the write does nothing, and the next run follows that.
  const renewOne = (stored: StoredKey) =>
    table.change(stored, { gatewayKey: createGatewayKeyValue(), meteredFrom: undefined })
  const createOne = async (stored: StoredKey) => {
    await gateway.create(stored.record)
    const meteredFrom = Math.ceil(clock() / 1_000) + meteredAfterSeconds
    await table.change(stored, { gatewayKey: stored.record.gatewayKey, meteredFrom })
  }
  for (const [step, id, take] of [
    ...renew.map((stored) => ['renew', stored.record.keyId, () => renewOne(stored)] as const),
    ...remove.map(({ id }) => ['remove', id, () => gateway.remove(id)] as const),
    ...create.map((stored) => ['create', stored.record.keyId, () => createOne(stored)] as const),
  ]) {
    if (millisecondsLeft() < stepMilliseconds) return
    try {
      await take()
    } catch (error) {
      console.error(`The step "${step}" of ${id} failed.`, error)
      // The account has no room for another key, and only creations are left.
      if (error instanceof LimitExceededException) return
    }
  }
}
