/** `npm run pets -- show`: some pets, with what callers do not see. */
import { formatProperties, type Report } from '../../command-line/report.ts'
import { exitCodes, UserError } from '../../command-line/user-error.ts'
import { findPetIds } from '../changes/number-index.ts'
import { describeMalformedPets, describePet, findPets } from '../changes/read-pets.ts'
import type { Origin, StoredPet } from '../changes/stored-pet.ts'
import type { Environment, TableAccess } from '../environment/open-environment.ts'

/** The pets to show: those with some ids, or the animal with a number at its shelter. */
type ShowRequest = { readonly ids: readonly bigint[] } | { readonly origin: Origin }

/** Shows pets, removed ones too: with source, number, the key that has added the pet, and its latest change. */
export const showPets = async (environment: Environment, request: ShowRequest): Promise<Report> => {
  const wanted = 'ids' in request ? request.ids : [await findIdOfAnimal(environment, request.origin)]
  const found = new Map((await findPets(environment, wanted)).map((pet) => [pet.id, pet]))
  const missing = wanted.filter((id) => !found.has(id))
  if (missing.length > 0) throw new UserError(`No pet has the id ${missing.join(', ')}. Nothing is done.`)

  const pets = wanted.flatMap((id) => found.get(id) ?? [])
  const shown = pets.filter(({ state }) => state.kind !== 'malformed').map(describePet)
  const mistakes = describeMalformedPets(pets)
  return {
    json: { pets: shown, malformed: pets.flatMap(describeMalformed) },
    // The hash of a row says nothing to people.
    text: [...shown.map((pet) => `${formatProperties({ ...pet, row: undefined })}\n`), ...mistakes]
      .join('\n')
      .trimEnd(),
    exitCode: mistakes.length === 0 ? exitCodes.done : exitCodes.failure,
  }
}

const describeMalformed = ({ id, state }: StoredPet) =>
  state.kind === 'malformed' ? [{ id, attribute: state.attribute }] : []

/** @throws UserError if the source has no animal with this number */
export const findIdOfAnimal = async (environment: TableAccess, origin: Origin): Promise<bigint> => {
  const [id] = (await findPetIds(environment, [origin])).values()
  if (id !== undefined) return id
  throw new UserError(`The source ${origin.source} has no animal ${origin.number}.`)
}
