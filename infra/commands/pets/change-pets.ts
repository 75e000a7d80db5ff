import { makeChanges } from '../changes/engine.ts'
import { type Plan, planChanges, type Wish } from '../changes/plan-changes.ts'
import type { NamedTableAccess, Operator } from '../environment/open-environment.ts'

export interface ChangeRequest {
  readonly environment: NamedTableAccess
  /** Undefined for a dry run, which writes nothing. */
  readonly operator: Operator | undefined
}

/**
 * Plans all wishes, and makes their changes unless it is a dry run.
 *
 * @param check may refuse the plans as a whole, before anything is written
 */
export const changePets = async (
  { environment, operator }: ChangeRequest,
  action: string,
  wishes: readonly Wish[],
  check: (plans: readonly Plan[]) => void = () => undefined,
): Promise<readonly Plan[]> => {
  const plans = await Array.fromAsync(planChanges(environment, wishes))
  check(plans)
  return operator === undefined ? plans : makeChanges({ environment, operator, action }, plans)
}
