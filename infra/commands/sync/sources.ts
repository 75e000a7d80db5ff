/** `pets sources`: the sources, which are shelters whose nightly files `pets sync` reads, with their last files. */
import { systemClock } from '../../../shared/clock.ts'
import { formatTable, type Report } from '../../command-line/report.ts'
import { exitCodes } from '../../command-line/user-error.ts'
import { findPetIds, formatOrigin } from '../changes/number-index.ts'
import { isChangedByHand, type Origin, type StoredPet } from '../changes/stored-pet.ts'
import type { TableAccess } from '../environment/open-environment.ts'
import { type PassedFile, readLastFiles } from './source-head.ts'

/** Shows each source with its last file, and the animals that two shown pets stand for. Reads all pets once. */
export const showSources = async (environment: TableAccess, pets: AsyncIterable<StoredPet>): Promise<Report> => {
  const lastFiles = await readLastFiles(environment)
  const { counts, doubles } = await surveyPets(pets)
  const names = [...new Set([...lastFiles.keys(), ...counts.keys()])].toSorted()
  const sources = names.map((source) => {
    const { fileName = null, at = null } = lastFiles.get(source) ?? {}
    return { source, fileName, at, ...(counts.get(source) ?? noPets) }
  })
  const rows = sources.map(({ source, fileName, at, onList, changedByHand }) => [
    source,
    fileName ?? 'no file',
    at?.slice(0, 16).replace('T', ' ') ?? '-',
    `${onList}`,
    `${changedByHand}`,
  ])
  const header = ['source', 'last file', 'at (UTC)', 'on the list', 'changed by hand']
  const table = rows.length === 0 ? 'There is no source.' : formatTable([header, ...rows])
  const sentences = await describeDoubles(environment, doubles)
  return {
    json: { sources, doubles: sentences },
    text: [table, ...sentences].join('\n'),
    exitCode: sentences.length === 0 ? exitCodes.done : exitCodes.conflict,
  }
}

const noPets = { onList: 0, changedByHand: 0 }

/** Two shown pets with the same number. */
interface Double {
  readonly origin: Origin
  readonly ids: readonly [bigint, bigint]
}

/** Counts the pets of each source, and finds the shown ones with the same number. */
const surveyPets = async (pets: AsyncIterable<StoredPet>) => {
  const counts = new Map<string, typeof noPets>()
  const shownIds = new Map<string, bigint>()
  const doubles: Double[] = []
  for await (const pet of pets) {
    const { id, origin, state } = pet
    if (origin === undefined) continue
    const { onList, changedByHand } = counts.get(origin.source) ?? noPets
    counts.set(origin.source, {
      onList: onList + Number(state.kind === 'shown'),
      changedByHand: changedByHand + Number(isChangedByHand(pet)),
    })
    if (state.kind !== 'shown') continue
    const otherId = shownIds.get(formatOrigin(origin))
    if (otherId === undefined) shownIds.set(formatOrigin(origin), id)
    else doubles.push({ origin, ids: [otherId, id] })
  }
  return { counts, doubles }
}

/**
 * Describes pets with the same number. Such pets appear after somebody has restored the table `Listings`, the index of
 * numbers, to an earlier time without the table of pets: `pets sync` then adds an animal whose number the index lacks
 * once more. Later nights change the pet that the index has, so the operator is to remove the other one.
 */
const describeDoubles = async (environment: TableAccess, doubles: readonly Double[]): Promise<readonly string[]> => {
  const indexedIds = await findPetIds(
    environment,
    doubles.map(({ origin }) => origin),
  )
  return doubles.map(({ origin, ids }) => {
    const indexedId = indexedIds.get(formatOrigin(origin))
    const other = ids.find((id) => id !== indexedId)
    return `The pets ${ids.join(' and ')} are both number ${origin.number} of ${origin.source}: remove ${other}, which no night changes.`
  })
}

/** Names the sources of which no file has passed for some time. Reads no pet. */
export const findLateSources = async (
  environment: TableAccess,
  olderThanMilliseconds: number,
): Promise<Report | undefined> => {
  const lastFiles = await readLastFiles(environment)
  // The last file of a shelter that has left has no animal, and such a shelter is never late.
  const isLate = ({ at, animalCount }: PassedFile): boolean =>
    animalCount > 0 && systemClock() - Date.parse(at) > olderThanMilliseconds
  const late = [...lastFiles].filter(([, file]) => isLate(file)).map(([source, file]) => ({ source, ...file }))
  // A schedule mails whatever is printed, so nothing is printed if no source is late.
  if (late.length === 0) return undefined
  return {
    json: { late: late.map(({ source, fileName, at }) => ({ source, fileName, at })) },
    text: late.map(({ source, fileName, at }) => `${source}: no file has passed since ${at} (${fileName}).`).join('\n'),
    exitCode: exitCodes.conflict,
  }
}
