/** The part that the commands that change pets have in common. */
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type Decision, makeChanges, type Plan, planChanges, type Wish } from '../changes/engine.ts'
import { reportChanges } from '../changes/report.ts'
import type { Environment } from '../environment/open-environment.ts'
import type { Operator } from '../environment/operator.ts'

export interface ChangeRequest {
  readonly environment: Pick<Environment, 'name' | 'database' | 'tables'>
  /** Undefined for a dry run, which writes nothing. */
  readonly operator: Operator | undefined
}

const noPetReason = 'no pet has the id'

/** The decision about an id without a pet. */
export const noPet: Decision = { kind: 'conflict', reason: noPetReason }

/**
 * Plans all wishes, and makes their changes unless it is a dry run.
 *
 * @param check may refuse the plans as a whole, before anything is written
 */
export const changePets = async (
  { operator, ...context }: ChangeRequest,
  action: string,
  wishes: readonly Wish[],
  check: (plans: readonly Plan[]) => void = () => undefined,
): Promise<readonly Plan[]> => {
  const plans = await Array.fromAsync(planChanges(context, wishes))
  check(plans)
  return operator === undefined ? plans : makeChanges({ ...context, operator, action }, plans)
}

/**
 * Changes pets that an operator names by their ids, and reports it.
 *
 * @throws UserError that names the ids without a pet, if there are any. Nothing is done then.
 */
export const changeNamedPets = async (
  request: ChangeRequest,
  action: string,
  wishes: readonly Wish[],
): Promise<Report> =>
  reportChanges(await changePets(request, action, wishes, requirePets), { isDryRun: request.operator === undefined })

const requirePets = (plans: readonly Plan[]): void => {
  const missing = plans.filter(({ decision }) => decision.kind === 'conflict' && decision.reason === noPetReason)
  if (missing.length === 0) return
  throw new UserError(`No pet has the id ${missing.map(({ id }) => id).join(', ')}. Nothing is done.`)
}
