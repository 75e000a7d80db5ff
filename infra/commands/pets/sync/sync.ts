/** `pets sync`: brings the animals of one source to what its file says. */
import type { Clock } from '../../../../shared/clock.ts'
import type { Report } from '../../../command-line/report.ts'
import type { ChangeAudit } from '../../environment/change-audit.ts'
import type { Environment } from '../../environment/open-environment.ts'
import { createPetPacer } from '../change-pets.ts'
import { checkClock } from '../clock-check.ts'
import { PetTable } from '../pet-table.ts'
import { countOnOffer } from './count-on-offer.ts'
import { ListingTable } from './listing-table.ts'
import { mapRows } from './map-rows.ts'
import { compareFile, type FileChanges, planChanges, type ReadListing, type SyncPlan } from './plan.ts'
import type { ShelterFile } from './read-file.ts'
import { createSyncReport } from './report.ts'
import { rereadListings } from './reread.ts'
import { checkCounts } from './safety.ts'
import type { SourceSettings } from './settings.ts'
import { describeAddition, describeChange, writePlan } from './write-plan.ts'

export interface SyncRequest {
  readonly file: ShelterFile
  readonly settings: SourceSettings
  /** Makes the changes of a file that is doubtful by its counts. */
  readonly acceptChanges?: boolean | undefined
  /** Compares all listings with the pets first. */
  readonly reread?: boolean | undefined
  readonly clock: Clock
}

/**
 * Brings the animals of a source to what its file says. A night without changes reads the listings alone.
 *
 * @param audit undefined for a dry run, which writes nothing
 * @throws RefusedFileError if the counts are doubtful; UserError if a later run has begun
 */
export const syncFile = async (
  environment: Pick<Environment, 'name' | 'database' | 'tables'>,
  audit: ChangeAudit | undefined,
  { file, settings, acceptChanges = false, reread = false, clock }: SyncRequest,
): Promise<Report> => {
  const { database, tables } = environment
  const { source, missing } = settings
  const pets = new PetTable(database, tables.pets)
  const listings = new ListingTable(database, tables.listings)
  const mappedRows = mapRows(file.rows, settings)

  await checkClock(database, tables.pets, clock)
  const thisFile = { hash: file.hash, day: new Date(clock()).toISOString().slice(0, 10) }
  // The listings are read after the run has begun: an earlier run can no longer change them.
  const run = audit === undefined ? undefined : await listings.beginRun(source, thisFile)
  const head = run ?? (await listings.findHead(source))

  const known = reread
    ? await rereadListings(environment, settings.source, mappedRows, missing)
    : { listings: trustAll((await listings.readAll(source)).values()), doubles: [] }
  const changes = compareFile(mappedRows, known.listings, missing)
  const plan = planChanges(changes, await pets.findItems(changes.listingChanges.map(({ listing }) => listing.petId)))
  const hasChanges = plan.additions.length + plan.changes.length > 0
  if (hasChanges && !acceptChanges) {
    const unchangedIds = findUnchangedIds(changes, known.listings)
    checkCounts(plan, await countOnOffer(database, tables.pets, unchangedIds))
  }

  const planAgain = async (references: ReadonlySet<string>): Promise<SyncPlan> => {
    const stored = trustAll((await listings.readSome(source, [...references])).values())
    const animals = new Map([...mappedRows.animals].filter(([reference]) => references.has(reference)))
    const newChanges = compareFile({ ...mappedRows, animals }, stored, missing)
    return planChanges(newChanges, await pets.findItems(newChanges.listingChanges.map(({ listing }) => listing.petId)))
  }
  const pacer = createPetPacer(environment)
  const made =
    audit === undefined || run === undefined
      ? [...plan.additions.map(describeAddition), ...plan.changes.map(describeChange)]
      : await writePlan({ database, pets, listings, audit, pacer, clock, run, planAgain }, plan)

  return createSyncReport({
    source,
    mappedRows,
    changes: made,
    unknownRows: [...mappedRows.unknownRows.values(), ...plan.unreadable, ...known.doubles],
    isDryRun: audit === undefined,
    sameSince: head?.hash === file.hash ? head.firstDay : undefined,
    today: thisFile.day,
  })
}

const trustAll = (listings: Iterable<ReadListing['listing']>): ReadonlyMap<string, ReadListing> =>
  new Map([...listings].map((listing) => [listing.reference, { listing, storedVersion: listing.version }]))

/** Finds the pets that may be on offer, and that the file does not change. */
const findUnchangedIds = (
  { listingChanges }: FileChanges,
  listings: ReadonlyMap<string, ReadListing>,
): readonly bigint[] => {
  const changing = new Set(listingChanges.map(({ listing }) => listing.reference))
  return [...listings.values()]
    .filter(({ listing }) => listing.status !== undefined && !changing.has(listing.reference))
    .map(({ listing }) => listing.petId)
}
