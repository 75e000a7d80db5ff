/** A simulation as the command line describes it. */
import type { ActorName, FaultName } from './parts.ts'
import type { FaultMinutes } from './schedule.ts'

export interface SimulationCase {
  readonly seed: number
  readonly hours: number
  readonly actors: readonly ActorName[]
  readonly faults: readonly FaultName[]
  readonly faultMinutes: FaultMinutes
}

/**
 * Formats the options of a case for `npm run simulate`.
 *
 * @example
 * formatOptions(found) // ['--seed', '7', '--hours', '2', '--actors', 'careful', '--no-faults']
 */
export const formatOptions = ({ seed, hours, actors, faults, faultMinutes }: SimulationCase): string[] => {
  const options = ['--seed', String(seed), '--hours', String(hours), '--actors', ...actors]
  if (faults.length === 0) return [...options, '--no-faults']
  const { from, until } = faultMinutes
  return [...options, '--faults', ...faults, '--faults-from', String(from), '--faults-until', String(until)]
}
