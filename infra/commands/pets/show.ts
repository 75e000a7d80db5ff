/** `npm run pets -- show`: some pets, with what callers do not see. */
import { formatPrintableJson } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { exitCodes, UserError } from '../../command-line/user-error.ts'
import { describeMalformedPets, describePet, findIdsOfSource, findPets } from '../changes/read-pets.ts'
import type { StoredPet } from '../changes/stored-pet.ts'
import type { Environment } from '../environment/open-environment.ts'

interface ShowRequest {
  readonly ids: readonly bigint[]
  readonly source?: string | undefined
  readonly number?: string | undefined
}

/**
 * Shows pets, one line each, removed ones too: with source, number and what the file says otherwise, the API key that
 * has added the pet, and its latest change.
 */
export const showPets = async (environment: Environment, { ids, source, number }: ShowRequest): Promise<Report> => {
  const idsOfSource = source === undefined ? [] : await findIdsOfSource(environment, { source, number })
  if (source !== undefined && idsOfSource.length === 0) {
    throw new UserError(`The source ${source} has no animal${number === undefined ? '' : ` ${number}`}.`)
  }
  const wanted = [...ids, ...idsOfSource]
  const found = new Map((await findPets(environment, wanted)).map((pet) => [pet.id, pet]))
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length > 0) throw new UserError(`No pet has the id ${missing.join(', ')}. Nothing is done.`)

  const pets = wanted.flatMap((id) => found.get(id) ?? [])
  const shown = pets.filter(({ state }) => state.kind !== 'malformed').map(describePet)
  const mistakes = describeMalformedPets(pets)
  return {
    json: { pets: shown, malformed: pets.flatMap(describeMalformed) },
    text: [...shown.map((pet) => formatPrintableJson(pet)), ...mistakes].join('\n'),
    exitCode: mistakes.length === 0 ? exitCodes.done : exitCodes.failure,
  }
}

const describeMalformed = ({ id, state }: StoredPet) =>
  state.kind === 'malformed' ? [{ id, attribute: state.attribute }] : []
