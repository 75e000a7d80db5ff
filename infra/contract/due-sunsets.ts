import type { Clock } from '../../shared/clock.ts'
import type { Contract } from './contract.ts'

/** Time before its sunset from which on an operation is announced. */
const announcementMilliseconds = 90 * 24 * 3_600_000

/** Describes the operations that respond 404 soon or already, in one sentence each. */
export const describeDueSunsets = ({ operations }: Contract, clock: Clock): readonly string[] =>
  operations.flatMap(({ operationId, deprecation }) => {
    const isDue = deprecation !== undefined && clock() >= Date.parse(deprecation.sunset) - announcementMilliseconds
    if (!isDue) return []
    return [`${operationId} responds 404 from ${deprecation.sunset} on: tell its callers, then remove it.`]
  })
