/** `npm run pets -- undo`: takes changes of pets back. */
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { type Pet, readPet } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type ChangeAudit, type ChangeId, readChangeId } from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { type AuditedChange, findChanges } from '../environment/read-audit.ts'
import { changePets, type Plan } from './change-pets.ts'
import { reportChanges } from './change-report.ts'
import { isSamePet } from './pet-table.ts'

/**
 * Undoes changes. A pet whose latest change is the newest of its listed ones goes back to what it was before the oldest
 * of them. If somebody has changed it since, it is a conflict. So the same command can be repeated.
 *
 * @param audit undefined for a dry run
 * @throws UserError that names the ids without a change of a pet
 */
export const undoChanges = async (
  environment: Environment,
  audit: ChangeAudit | undefined,
  changeIds: readonly ChangeId[],
): Promise<Report> => {
  const found = await findChanges(environment, changeIds)
  const petChanges = found.filter(({ target }) => target.startsWith('pet#'))
  const missingIds = new Set(changeIds).difference(new Set(petChanges.map(({ changeId }) => changeId)))
  if (missingIds.size > 0) {
    const ids = [...missingIds].join(', ')
    throw new UserError(`The audit has no change of a pet with the id ${ids}. Nothing is undone.`)
  }

  const listedByTarget = Map.groupBy(petChanges, ({ target }) => target)
  const undos = [...listedByTarget].map(([target, listed]) => ({
    id: BigInt(target.slice('pet#'.length)),
    plan: (item: Attributes | undefined) => planUndo(listed, item),
  }))
  const outcomes = await changePets({ environment, audit, action: 'pets undo' }, undos)
  return reportChanges(outcomes, { isDryRun: audit === undefined })
}

const planUndo = (listed: readonly AuditedChange[], item: Attributes | undefined): Plan => {
  const latest = readChangeId(item)
  const made = listed
    .filter(({ changeId, outcome }) => outcome === 'made' || changeId === latest)
    .toSorted((one, other) => (one.changeId < other.changeId ? -1 : 1))
  const [oldest] = made
  if (oldest === undefined) return { kind: 'unchanged' }

  const reading = oldest.old === null ? undefined : readPet({ ...oldest.old })
  if (reading?.kind === 'malformed') {
    return { kind: 'conflict', reason: `before the change, the pet had no valid ${reading.attribute}` }
  }
  const pet: Pet | undefined = reading?.value
  if (isSamePet(item, pet)) return { kind: 'unchanged' }
  const isLatestListed = made.some(({ changeId }) => changeId === latest)
  if (isLatestListed) return { kind: 'write', pet }
  return { kind: 'conflict', reason: `change ${latest} came after the listed ones`, yours: pet }
}
