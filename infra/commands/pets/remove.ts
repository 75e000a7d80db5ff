/** `npm run pets -- remove`: removes pets. */
import type { Report } from '../../command-line/report.ts'
import type { Rule } from '../changes/engine.ts'
import { takeOffList } from '../changes/merge.ts'
import { type ChangeRequest, changeNamedPets, noPet } from './change-pets.ts'

/** Removes pets. A pet that was removed before is unchanged. If one of the ids never had a pet, nothing is removed. */
export const removePets = (request: ChangeRequest, ids: readonly bigint[]): Promise<Report> => {
  const wishes = ids.map((id) => ({ id, rule: removePet }))
  return changeNamedPets(request, 'pets remove', wishes)
}

const removePet: Rule = (stored) => {
  if (stored === undefined) return noPet
  if (stored.state.kind === 'removed') return { kind: 'unchanged' }
  return { kind: 'write', state: takeOffList(stored, 'by hand') }
}
