import { newGatewayKeyValue } from '../../shared/api-keys/api-key-record.ts'
import type { KeyTable } from '../../shared/api-keys/key-table.ts'
import type { Clock } from '../../shared/clock.ts'
import type { ApiGateway } from './api-gateway.ts'
import { type Step, steps } from './steps.ts'

export interface Surroundings {
  readonly table: Pick<KeyTable, 'list' | 'change'>
  readonly gateway: ApiGateway
  readonly clock: Clock
  readonly pause: (milliseconds: number) => Promise<unknown>
  /** Whether the function is about to reach its timeout. */
  readonly isLate: () => boolean
  /** Notes a step that failed. */
  readonly report: (step: Step, error: unknown) => void
}

/** The edge takes seconds, at times many minutes, to know a new API Gateway key. Until then requests use the reserved one. */
export const meteredAfterSeconds = 60 * 60

/** A request is metered at most this long after the authorizer has read its record: twice what the authorizer may take. */
const inFlightMilliseconds = 10_000

/**
 * Makes API Gateway follow the table. It may be cut off anywhere, or run twice at a time: each step is one that every later
 * run finds done or takes itself, and none refuses a request of a customer.
 *
 * @throws Error where API Gateway or the table cannot be read
 */
export const followTable = async (surroundings: Surroundings): Promise<void> => {
  const { table, gateway, clock, pause, isLate, report } = surroundings
  const present = await gateway.list()
  const records = await table.list()
  const readAt = clock()
  for (const step of steps(records, present, readAt / 1_000)) {
    if (isLate()) return
    // Until then requests may be metered on a key that the record named just before it was read.
    if (step.kind === 'remove') await pause(Math.max(0, readAt + inFlightMilliseconds - clock()))
    try {
      await take(step, surroundings)
    } catch (error) {
      report(step, error)
      // The account has no room for another key; only creations are left.
      if (error instanceof Error && error.name === 'LimitExceededException') return
    }
  }
}

/** Where a command has changed a record meanwhile, its write does nothing, and the next run follows that. */
const take = async (step: Step, { table, gateway, clock }: Surroundings): Promise<void> => {
  if (step.kind === 'remove') return gateway.remove(step.gatewayKey.id)
  const { record } = step.stored
  if (step.kind === 'renew') {
    await table.change(step.stored, { gatewayKey: newGatewayKeyValue(), meteredFrom: undefined })
    return
  }
  const id = step.found?.id ?? (await gateway.create(record))
  if (step.found?.plan === undefined) await gateway.place(id, record.plan)
  const meteredFrom = Math.ceil(clock() / 1_000) + meteredAfterSeconds
  await table.change(step.stored, { gatewayKey: record.gatewayKey, meteredFrom })
}
