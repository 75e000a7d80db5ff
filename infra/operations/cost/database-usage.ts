import type { Workload } from './cost-command.ts'
import { sizes } from './item-sizes.ts'
import { month } from './workload.ts'

/** What a month of requests uses of DynamoDB. */
export const databaseUsage = (workload: Workload) => {
  const { requests, mix } = workload
  return {
    writeUnits: requests * (authorizerWrites(workload) + mix.create * creationWrites(workload)),
    readUnits: requests * (mix.list * listReads(workload) + mix.get * getReads),
    ...storage(workload),
  }
}

/** A write of up to 1 KB is one unit. A condition that is not met makes no difference to the charge. */
const writeUnits = (bytes: number): number => Math.ceil(bytes / 1_024)

/** A read of 4 KB is one unit, or half of one where it need not be of the latest write. */
const readUnits = (bytes: number): number => Math.ceil(bytes / 4_096)

/**
 * One update of the key's item, which writes nothing to its index, also to count a refusal. A second one when the minute
 * rolls over, after the first was refused; and for the first refusal by an instance, which is left out here. A key that
 * does not exist costs the one that is tried, a malformed one nothing.
 */
const authorizerWrites = (workload: Workload): number => {
  const { mix, unknownKeys } = workload
  const admitted = 1 - mix.refused - mix.unauthorized
  const updates = admitted * (1 + rollOverShare(workload)) + mix.refused + mix.unauthorized * unknownKeys
  return updates * writeUnits(sizes.apiKey)
}

/**
 * The share of authorized requests that are the first of their key's minute. At random times, a minute of m requests
 * on average has one with probability 1 - e^-m. Requests in bursts share minutes, so this is the most expensive case.
 */
export const rollOverShare = ({ requests, mix, keys }: Pick<Workload, 'requests' | 'mix' | 'keys'>): number => {
  const perMinute = (requests * (1 - mix.unauthorized)) / keys / month.minutes
  return perMinute === 0 ? 0 : -Math.expm1(-perMinute) / perMinute
}

/** The pet goes into the table and, with all its attributes, into the status index. */
const creationWrites = ({ idempotent }: Workload): number =>
  2 * writeUnits(sizes.pet) + idempotent * writeUnits(sizes.reservation)

/** One pet more than the page shows is read, of one status or of each of the three; the bytes of a query are added up. */
const listReads = ({ page, unfiltered }: Workload): number => {
  const query = readUnits((page + 1) * sizes.pet) / 2
  return (1 - unfiltered) * query + unfiltered * 3 * query
}

const getReads = readUnits(sizes.pet)

/** What DynamoDB adds to every item, in tables and in indexes. */
const itemOverhead = 100

/** GB-months: of tables and indexes, and of tables alone, which point-in-time recovery goes by. */
const storage = ({ requests, mix, pets, keys, idempotent }: Workload) => {
  const created = requests * mix.create
  // On average half of the month's pets are there; a reservation is, for a day.
  const petCount = pets + created / 2
  const reservations = (created * idempotent) / month.days
  const tables =
    petCount * (sizes.pet + itemOverhead) +
    keys * (sizes.apiKey + itemOverhead) +
    reservations * (sizes.reservation + itemOverhead)
  const indexes = petCount * (sizes.pet + itemOverhead) + keys * (sizes.apiKeyInIndex + itemOverhead)
  return { storage: (tables + indexes) / gigabyte, recoverable: tables / gigabyte }
}

export const gigabyte = 1_024 ** 3
