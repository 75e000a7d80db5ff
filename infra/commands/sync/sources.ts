/** `pets sources`: the sources with their last files. */
import { systemClock } from '../../../shared/clock.ts'
import { formatTable, type Report } from '../../command-line/report.ts'
import { exitCodes } from '../../command-line/user-error.ts'
import { isUnlikeFile, type StoredPet } from '../changes/stored-pet.ts'
import type { TableAccess } from '../environment/open-environment.ts'
import { type PassedFile, readLastFiles } from './source-head.ts'

/** Shows each source with its last file. It reads all pets once. */
export const showSources = async (environment: TableAccess, pets: AsyncIterable<StoredPet>): Promise<Report> => {
  const lastFiles = await readLastFiles(environment)
  const petCounts = await countPets(pets)
  const names = [...new Set([...lastFiles.keys(), ...petCounts.keys()])].toSorted()
  const sources = names.map((source) => ({
    source,
    fileName: lastFiles.get(source)?.fileName ?? null,
    at: lastFiles.get(source)?.at ?? null,
    ...(petCounts.get(source) ?? noPets),
  }))
  const rows = sources.map(({ source, fileName, at, onList, differing }) => [
    source,
    fileName ?? 'no file',
    at ?? '-',
    `${onList}`,
    `${differing}`,
  ])
  const header = ['source', 'last file', 'at', 'on the list', 'differ from the file']
  return { json: { sources }, text: rows.length === 0 ? 'There is no source.' : formatTable([header, ...rows]) }
}

const noPets = { onList: 0, differing: 0 }

const countPets = async (pets: AsyncIterable<StoredPet>) => {
  const counts = new Map<string, typeof noPets>()
  for await (const pet of pets) {
    if (pet.origin === undefined) continue
    const { onList, differing } = counts.get(pet.origin.source) ?? noPets
    counts.set(pet.origin.source, {
      onList: onList + Number(pet.state.kind === 'shown'),
      differing: differing + Number(isUnlikeFile(pet)),
    })
  }
  return counts
}

/** Names the sources without a file for some time, for a schedule that watches them. It reads no pet. */
export const findLateSources = async (
  environment: TableAccess,
  longestMilliseconds: number,
): Promise<Report | undefined> => {
  const lastFiles = await readLastFiles(environment)
  // The last file of a shelter that has left has no animal.
  const isLate = ({ at, animalCount }: PassedFile): boolean =>
    animalCount > 0 && systemClock() - Date.parse(at) > longestMilliseconds
  const late = [...lastFiles].filter(([, file]) => isLate(file)).map(([source, file]) => ({ source, ...file }))
  // A schedule mails whatever is printed, so nothing is printed if no source is late.
  if (late.length === 0) return undefined
  return {
    json: { late: late.map(({ source, fileName, at }) => ({ source, fileName, at })) },
    text: late.map(({ source, fileName, at }) => `${source}: no file has passed since ${at} (${fileName}).`).join('\n'),
    exitCode: exitCodes.conflict,
  }
}
