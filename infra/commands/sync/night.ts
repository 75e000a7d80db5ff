/** `pets sync`: brings the animals of one source to what its file says. */
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { checkClock } from '../changes/clock-check.ts'
import { type ChangeContext, makeChanges } from '../changes/engine.ts'
import { readIndex } from '../changes/number-index.ts'
import { type Plan, planChanges, type Wish } from '../changes/plan-changes.ts'
import { isUnlikeFile } from '../changes/stored-pet.ts'
import type { NamedTableAccess } from '../environment/open-environment.ts'
import type { Operator } from '../environment/operator.ts'
import { RefusedFileError } from '../files/refused-file-error.ts'
import { createGoneRule, createRowRule, keepAnimal } from './animal-rules.ts'
import { addCounts, countPlan, findDoubts, noCounts } from './judge-night.ts'
import { type NightReport, reportNight } from './night-report.ts'
import type { Night } from './read-night.ts'
import { reindex } from './reindex.ts'
import { beginRun, createGuard, findHead, notePassedFile, readPassedFiles } from './source-head.ts'

export interface NightOptions {
  /** Whether the changes of a doubtful file are made. */
  readonly acceptChanges?: boolean | undefined
  /** Whether the entries that the index lacks are written first. */
  readonly reindex?: boolean | undefined
  /** Clock of the days on which files pass. */
  readonly clock?: Clock
}

/**
 * Brings the animals of a source to what its file says. The pets are read once, even if nothing has changed.
 *
 * @param operator undefined for a dry run, which writes nothing
 * @throws RefusedFileError if the file is doubtful; UserError if a later run has begun
 */
export const syncFile = async (
  environment: NamedTableAccess,
  operator: Operator | undefined,
  night: Night,
  options: NightOptions = {},
): Promise<NightReport> => {
  const { clock = systemClock, acceptChanges = false } = options
  if (night.animals.size + night.unknown.length === 0 && !acceptChanges) {
    throw new RefusedFileError(night.source, ['the file has a header, but no animal.', acceptAdvice])
  }
  await checkClock(environment.database, environment.tables.pets)
  if (operator !== undefined) return makeNight(environment, operator, night, options)

  const { doubts, ...planned } = await planNight(environment, night)
  const doubtsLeft = acceptChanges ? [] : doubts
  return reportNight({ ...planned, night, at: formatNow(clock), doubles: [], doubts: doubtsLeft, isDryRun: true })
}

const makeNight = async (
  environment: NamedTableAccess,
  operator: Operator,
  night: Night,
  { clock = systemClock, acceptChanges = false, reindex: isReindexed = false }: NightOptions,
): Promise<NightReport> => {
  const { source, fileName, fileHash } = night
  // Everything is read after the run has begun: an earlier run can no longer change it.
  const run = await beginRun(environment, source)
  const guard = createGuard(environment.tables.listings, run)
  const doubles = isReindexed ? await reindex(environment, source, guard) : []
  const { doubts, ...planned } = await planNight(environment, night)
  if (doubts.length > 0 && !acceptChanges) throw new RefusedFileError(source, [...doubts, acceptAdvice])

  const at = formatNow(clock)
  await notePassedFile(environment, run, planned.passedFiles, {
    settingsName: night.settingsName,
    settingsHash: night.settingsHash,
    missing: night.missing,
    animalCount: night.animals.size + night.unknown.length,
    fileName,
    fileHash,
    at,
  })
  const inputFile = `${fileName} ${fileHash.slice(0, 8)}`
  const context: ChangeContext = { environment, operator, action: 'pets sync', inputFile, guard }
  const plans = await makeChanges(context, planned.plans)
  return reportNight({ ...planned, plans, night, at, doubles, doubts: [], isDryRun: false })
}

const acceptAdvice = 'if it is right, run the command once more with --accept-changes.'

const formatNow = (clock: Clock): string => new Date(clock()).toISOString()

/** Plans the animals of a file, and those that are no longer in it. */
const planNight = async (environment: NamedTableAccess, night: Night) => {
  const head = await findHead(environment, night.source)
  const passedFiles = await readPassedFiles(environment, night.source)
  const ids = await readIndex(environment, night.source)
  let counts = noCounts
  const plans: Plan[] = []
  const unlike: Plan[] = []
  for await (const plan of planChanges(environment, createWishes(night, ids))) {
    counts = addCounts(counts, countPlan(plan, night))
    if (plan.decision.kind !== 'unchanged') plans.push(plan)
    else if (plan.stored !== undefined && isUnlikeFile(plan.stored)) unlike.push(plan)
  }
  return {
    passedFiles,
    doubts: findDoubts(night, head, passedFiles, counts),
    counts,
    // An animal that has only got another number is added under it before its old number is removed.
    plans: plans.toSorted((one, other) => rankPlan(one, night) - rankPlan(other, night)),
    unlike,
  }
}

const createWishes = (night: Night, ids: ReadonlyMap<string, bigint>): readonly Wish[] => {
  const { source, animals, missing } = night
  const unknownNumbers = new Set(night.unknown.map(({ number }) => number))
  const inFile = [...animals].map(([number, animal]): Wish => {
    const origin = { source, number }
    return { id: ids.get(number), origin, rule: createRowRule(origin, animal) }
  })
  const others = [...ids].flatMap(([number, id]): Wish | readonly [] => {
    if (animals.has(number)) return []
    const origin = { source, number }
    const rule = unknownNumbers.has(number) ? keepAnimal : createGoneRule(origin, missing)
    return { id, origin, rule }
  })
  return [...inFile, ...others]
}

/** Ranks a plan: additions come first, then changes, then losses. */
const rankPlan = (plan: Plan, night: Night): number => {
  if (plan.stored === undefined) return 0
  return countPlan(plan, night).losses === 0 ? 1 : 2
}
