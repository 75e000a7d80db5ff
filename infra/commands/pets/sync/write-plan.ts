/**
 * Writing a plan. Up to 33 animals are one transaction: for each its pet, its listing and the record of the audit, and
 * once the check that no later run of the source has begun. So pet and listing cannot come apart, and a slow run of
 * yesterday cannot write after today's has begun. A check for each animal would do the same, but transactions that
 * share an item conflict: they would be made one by one.
 */
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../../../shared/clock.ts'
import { findUnmetItems } from '../../../../shared/dynamodb/transaction.ts'
import { assignPetId, type Pet } from '../../../../shared/pets/pet.ts'
import { drawPetId } from '../../../../shared/pets/pet-id.ts'
import { type Pacer, startProgress } from '../../../command-line/progress.ts'
import { formatCount } from '../../../command-line/report.ts'
import { describeError } from '../../../command-line/run-command.ts'
import { UserError } from '../../../command-line/user-error.ts'
import { type ChangeAudit, createChangeId, readChangeId } from '../../environment/change-audit.ts'
import type { PetTable } from '../pet-table.ts'
import type { Listing } from './listing.ts'
import type { ListingTable, Run } from './listing-table.ts'
import type { Addition, PlannedChange, SyncPlan } from './plan.ts'

export interface WriteContext {
  readonly database: DynamoDBDocumentClient
  readonly pets: PetTable
  readonly listings: ListingTable
  readonly audit: ChangeAudit
  readonly pacer: Pacer
  readonly clock: Clock
  readonly run: Run
  /** Plans some animals again, because their pets or listings are no longer as they were read. */
  readonly planAgain: (references: ReadonlySet<string>) => Promise<SyncPlan>
}

/** A change of one animal, for the report. */
export interface MadeChange {
  readonly reference: string
  /** Undefined in a dry run for an animal that would be added. */
  readonly id: bigint | undefined
  readonly action: 'added' | PlannedChange['action']
  readonly old: Pet | undefined
  readonly new: object | undefined
  /** Whether the animal has left the file. */
  readonly isGone: boolean
  readonly keptFields: readonly string[]
  readonly replacedFields: readonly string[]
  /** Whether an animal that was removed by hand is in the list again. */
  readonly undoesRemoval: boolean
}

type Task = Addition | PlannedChange

/** A transaction takes 100 items: one is the check of the run, and each animal has three. */
const animalsPerTransaction = 33

/** Transactions in a row that are canceled because somebody else has changed an animal. */
const maximumCancellations = 20

/**
 * Writes a plan: additions and edits before removals.
 *
 * @returns the changes that were made
 * @throws UserError if a later run has begun; any error of the database, after which the same command goes on
 */
export const writePlan = async (context: WriteContext, plan: SyncPlan): Promise<readonly MadeChange[]> => {
  const madeChanges: MadeChange[] = []
  let tasks: Task[] = [...plan.additions, ...plan.changes]
  let cancellations = 0
  const progress = startProgress('animals', tasks.length)
  while (tasks.length > 0) {
    const batch = tasks.splice(0, animalsPerTransaction)
    await context.pacer.waitToBegin(batch.length)
    const { made, rest } = await writeBatch(context, batch).catch((error: unknown) => {
      throw explainFailure(error, madeChanges.length)
    })
    madeChanges.push(...made)
    tasks = [...rest, ...tasks]
    progress.count(made.length)
    cancellations = rest.length === 0 ? 0 : cancellations + 1
    if (cancellations > maximumCancellations) {
      throw new UserError('Somebody else changes the same animals all the time. Run the same command again.')
    }
  }
  return madeChanges
}

const explainFailure = (cause: unknown, doneCount: number): UserError => {
  if (cause instanceof UserError) return cause
  const done = `${formatCount(doneCount, 'animal')} done.`
  return new UserError(`${describeError(cause)} ${done} Run the same command again.`, { cause })
}

interface PreparedWrite {
  readonly change: MadeChange
  readonly listing: Listing
  readonly items: NonNullable<TransactWriteCommandInput['TransactItems']>
}

/** @returns the changes that were made, and what is left to do for the other animals of the batch */
const writeBatch = async (context: WriteContext, batch: readonly Task[]) => {
  const { database, listings, run } = context
  // Ids that follow each other keep the animals in the order of the file.
  const firstId = drawPetId(context.clock())
  const writes = batch.map((task, index) =>
    'animal' in task ? prepareAddition(context, task, firstId + BigInt(index)) : prepareChange(context, task),
  )
  try {
    const TransactItems = [listings.createRunCheck(run), ...writes.flatMap((write) => write.items)]
    await database.send(new TransactWriteCommand({ TransactItems }))
    return { made: writes.map(({ change }) => change), rest: [] }
  } catch (error) {
    const unmetItems = findUnmetItems(error)
    if (unmetItems === undefined) throw error
    const [unmetRun] = unmetItems
    if (unmetRun !== undefined) throw createLaterRunError(run)
    return settleBatch(context, writes)
  }
}

const createLaterRunError = ({ source }: Run): UserError =>
  new UserError(`A later run of ${source} has begun, so this one ends. What it has written is right for its file.`)

/**
 * Finds out which animals are left of a batch whose condition was not met. It was made after all if the SDK has
 * repeated it because its response was lost: the listings then have its versions.
 */
const settleBatch = async (context: WriteContext, writes: readonly PreparedWrite[]) => {
  const { listings, run, planAgain } = context
  const stored = await listings.readSome(
    run.source,
    writes.map(({ change }) => change.reference),
  )
  const isMade = ({ listing }: PreparedWrite): boolean => stored.get(listing.reference)?.version === listing.version
  const left = new Set(writes.filter((write) => !isMade(write)).map(({ change }) => change.reference))
  const { additions, changes } = await planAgain(left)
  return { made: writes.filter(isMade).map(({ change }) => change), rest: [...additions, ...changes] }
}

const prepareAddition = (context: WriteContext, { reference, animal }: Addition, id: bigint): PreparedWrite => {
  const { audit, pets, listings, run } = context
  const pet = assignPetId(id, animal)
  const origin = { source: run.source, reference }
  const record = audit.draft({
    target: `pet#${id}`,
    itemKey: { id },
    action: 'pets sync',
    previous: undefined,
    old: null,
    new: pet,
    source: run.source,
  })
  const { changeId } = record
  const listing: Listing = {
    reference,
    petId: id,
    state: 'listed',
    ...animal,
    byHand: {},
    petChangeId: changeId,
    version: changeId,
  }
  return {
    change: { reference, id, action: 'added', old: undefined, new: pet, ...unremarkable },
    listing,
    items: [
      { Put: pets.createPut({ id, item: undefined, pet, origin, changeId }) },
      listings.createPut(run.source, listing, undefined),
      audit.createPut(record),
    ],
  }
}

const unremarkable = { isGone: false, keptFields: [], replacedFields: [], undoesRemoval: false } as const

const prepareChange = (context: WriteContext, planned: PlannedChange): PreparedWrite => {
  const { pets, listings, audit, run, clock } = context
  const { listing, next, item, pet, newPet, byHand, action, storedVersion } = planned
  const { reference, petId } = listing
  const change = describeChange(planned)
  const createListing = (version: string, petChangeId: string | undefined): Listing => ({
    ...next,
    reference,
    petId,
    byHand,
    version,
    ...(petChangeId === undefined ? {} : { petChangeId }),
  })

  if (action === 'none') {
    // The listing leaves out a removal by hand, so that a later return of the animal is reported as undoing it.
    const petChangeId = pet === undefined ? listing.petChangeId : readChangeId(item)
    const newListing = createListing(createChangeId(clock()), petChangeId)
    return { change, listing: newListing, items: [listings.createPut(run.source, newListing, storedVersion)] }
  }

  const record = audit.draft({
    target: `pet#${petId}`,
    itemKey: { id: petId },
    action: 'pets sync',
    previous: readChangeId(item),
    old: pet ?? null,
    new: newPet ?? null,
    source: run.source,
  })
  const { changeId } = record
  const newListing = createListing(changeId, changeId)
  const origin = { source: run.source, reference }
  return {
    change,
    listing: newListing,
    items: [
      { Put: pets.createPut({ id: petId, item, pet: newPet, origin, changeId }) },
      listings.createPut(run.source, newListing, storedVersion),
      audit.createPut(record),
    ],
  }
}

/** Describes a planned change for the report. */
export const describeChange = (planned: PlannedChange): MadeChange => {
  const { listing, action, item, pet, newPet, next, isPetBehind = false, keptFields, replacedFields } = planned
  const isRemovedByHand = item !== undefined && pet === undefined && readChangeId(item) !== listing.petChangeId
  return {
    reference: listing.reference,
    id: listing.petId,
    action,
    old: pet,
    new: newPet,
    // An animal that a restore has brought back is gone again.
    isGone: next.state === 'missing' && (listing.state !== 'missing' || action !== 'none'),
    keptFields,
    replacedFields,
    undoesRemoval: action === 'returned' && isRemovedByHand && !isPetBehind,
  }
}

/** Describes an addition of a dry run, which has no id yet. */
export const describeAddition = ({ reference, animal }: Addition): MadeChange => ({
  reference,
  id: undefined,
  action: 'added',
  old: undefined,
  new: animal,
  ...unremarkable,
})
