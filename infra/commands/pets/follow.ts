/** `npm run pets -- follow`: gives pets back to their file after changes by hand. */
import type { Report } from '../../command-line/report.ts'
import type { Rule } from '../changes/engine.ts'
import { followFile } from '../changes/merge.ts'
import { isInState } from '../changes/stored-pet.ts'
import { type ChangeRequest, changeNamedPets, noPet } from './change-pets.ts'

/** Makes pets as the last file of their source has them, in every field. */
export const followPets = (request: ChangeRequest, ids: readonly bigint[]): Promise<Report> => {
  const wishes = ids.map((id) => ({ id, rule: followRule }))
  return changeNamedPets(request, 'pets follow', wishes)
}

const followRule: Rule = (stored) => {
  if (stored === undefined) return noPet
  if (stored.origin === undefined) return { kind: 'conflict', reason: 'the pet comes from no file' }
  const state = followFile(stored)
  if (state === undefined) return { kind: 'conflict', reason: 'it is not known what the file says: run "pets sync"' }
  return isInState(stored, state) ? { kind: 'unchanged' } : { kind: 'write', state }
}
