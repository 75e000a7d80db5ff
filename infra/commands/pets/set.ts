/** `npm run pets -- set`: changes fields of pets. */
import { describeMalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { type NewPet, readPet } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import type { Rule } from '../changes/engine.ts'
import { showPet } from '../changes/merge.ts'
import { isInState } from '../changes/stored-pet.ts'
import { type ChangeRequest, changeNamedPets, noPet } from './change-pets.ts'

/** Changes some fields of pets. If one of the ids has no pet, nothing is changed. A malformed field needs a value. */
export const setPets = (request: ChangeRequest, ids: readonly bigint[], values: Partial<NewPet>): Promise<Report> => {
  const rule = createSetRule(values)
  const wishes = ids.map((id) => ({ id, rule }))
  return changeNamedPets(request, 'pets set', wishes)
}

const createSetRule =
  (values: Partial<NewPet>): Rule =>
  (stored) => {
    if (stored === undefined || stored.state.kind === 'removed') return noPet
    const reading = readPet({ ...stored.item, ...values })
    if (reading.kind === 'malformed') {
      return { kind: 'conflict', reason: `${describeMalformedItem(reading)} Give that a value too` }
    }
    const state = showPet(reading.value, stored.state.file)
    return isInState(stored, state) ? { kind: 'unchanged' } : { kind: 'write', state }
  }
