/** One run of `pets sync`, which brings the animals of one source, a shelter, to what its nightly file says. */
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { checkClock } from '../changes/clock-check.ts'
import { type ChangeContext, makeChanges } from '../changes/engine.ts'
import { readIndex } from '../changes/number-index.ts'
import { type Plan, planChanges, type Wish } from '../changes/plan-changes.ts'
import { isChangedByHand } from '../changes/stored-pet.ts'
import type { NamedTableAccess, Operator } from '../environment/open-environment.ts'
import { RefusedFileError } from '../files/read-file.ts'
import { createAnimalRule, keepAnimal } from './animal-rule.ts'
import { countPlan, findDoubts, noCounts } from './judge-night.ts'
import { type NightReport, reportNight } from './night-report.ts'
import type { Night } from './read-night.ts'
import { beginRun, notePassedFile, readPassedFiles } from './source-head.ts'

export interface NightOptions {
  /** Whether the changes of a doubtful file are made. */
  readonly acceptChanges?: boolean | undefined
  /** Clock of the times at which files pass. */
  readonly clock?: Clock
}

/**
 * Brings the animals of a source to what its file says. Each run reads all pets of the source once.
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
  await checkClock(environment.database, environment.tables.pets)
  if (operator !== undefined) return makeNight(environment, operator, night, options)

  const { doubts, ...planned } = await planNight(environment, night)
  const doubtsLeft = options.acceptChanges === true ? [] : doubts
  return reportNight({ ...planned, night, doubts: doubtsLeft, isDryRun: true })
}

const makeNight = async (
  environment: NamedTableAccess,
  operator: Operator,
  night: Night,
  { clock = systemClock, acceptChanges = false }: NightOptions,
): Promise<NightReport> => {
  const { source, fileName, fileHash, settingsHash } = night
  // The run begins before anything is read: an earlier run can then no longer change what was read.
  const run = await beginRun(environment, source)
  const { doubts, ...planned } = await planNight(environment, night)
  if (doubts.length > 0 && !acceptChanges) throw new RefusedFileError(source, [...doubts, acceptAdvice])

  const guard = await notePassedFile(environment, run, planned.passedFiles, {
    fileName,
    fileHash,
    settingsHash,
    animalCount: night.animals.size + night.unknown.length,
    at: new Date(clock()).toISOString(),
  })
  const inputFile = `${fileName} ${fileHash.slice(0, 8)}`
  const context: ChangeContext = { environment, operator, action: 'pets sync', inputFile, guard }
  const plans = await makeChanges(context, planned.plans)
  return reportNight({ ...planned, plans, night, doubts: [], isDryRun: false })
}

const acceptAdvice = 'if it is right, run the command once more with --accept-changes.'

/** Plans the animals of a file, and those that are no longer in it. */
const planNight = async (environment: NamedTableAccess, night: Night) => {
  const passedFiles = await readPassedFiles(environment, night.source)
  const idsByNumber = await readIndex(environment, night.source)
  const counts = { ...noCounts }
  const plans: Plan[] = []
  const keptByHand: Plan[] = []
  for await (const plan of planChanges(environment, listWishes(night, idsByNumber))) {
    countPlan(counts, plan, night)
    if (plan.decision.kind !== 'unchanged') plans.push(plan)
    else if (plan.stored !== undefined && isChangedByHand(plan.stored)) keptByHand.push(plan)
  }
  return {
    passedFiles,
    doubts: findDoubts(night, passedFiles, counts),
    counts,
    // An animal whose number has changed is added as a new pet before the old one is removed: lists always have it.
    plans: plans.toSorted((one, other) => rankPlan(one) - rankPlan(other)),
    keptByHand,
  }
}

/** Lists a wish for each animal of the file, and for each other animal that the index has. */
const listWishes = ({ source, animals, unknown }: Night, idsByNumber: ReadonlyMap<string, bigint>): readonly Wish[] => {
  const unknownNumbers = new Set(unknown.map(({ number }) => number))
  const inFile = [...animals.values()].map(
    (animal): Wish => ({
      id: idsByNumber.get(animal.number),
      origin: { source, number: animal.number },
      rule: createAnimalRule(animal),
    }),
  )
  const others = [...idsByNumber].filter(([number]) => !animals.has(number))
  const notInFile = others.map(
    ([number, id]): Wish => ({
      id,
      origin: { source, number },
      rule: unknownNumbers.has(number) ? keepAnimal : createAnimalRule('gone'),
    }),
  )
  return [...inFile, ...notInFile]
}

/** Ranks a plan: additions come first, then changes, then animals that are taken off the list. */
const rankPlan = ({ stored, decision }: Plan): number => {
  if (stored === undefined) return 0
  return decision.kind === 'write' && decision.state.kind === 'removed' ? 2 : 1
}
