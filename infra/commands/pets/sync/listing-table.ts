import { type DynamoDBDocumentClient, GetCommand, PutCommand, paginateQuery } from '@aws-sdk/lib-dynamodb'
import { type Attributes, awaitConditionalWrite } from '../../../../shared/dynamodb/conditional-write.ts'
import {
  createItemReader,
  createNumberReader,
  createWordReader,
  describeMalformedItem,
  malformed,
  optional,
  readInt64Attribute,
  readTextAttribute,
} from '../../../../shared/dynamodb/item-reader.ts'
import { petStatuses } from '../../../../shared/pets/pet.ts'
import { UserError } from '../../../command-line/user-error.ts'
import { findItems } from '../../environment/batch-get.ts'
import type { ChangeId } from '../../environment/change-audit.ts'
import { type Listing, listingStates } from './listing.ts'

/** A run of `pets sync`. Of two runs of a source the one with the higher number has the later file. */
export interface Run {
  readonly source: string
  readonly number: number
  /** Hash of its file. */
  readonly hash: string
  /** UTC day on which a file with this hash was first given, such as `2030-12-31`. */
  readonly firstDay: string
}

/** Partition of the head items, one for each source. No source can have this name. */
const headPartition = '#heads'

/** Times that the head item is read again because another run has begun. */
const maximumAttempts = 20

/** Listings in one page. A full page of 1 MB takes 10 MB once unmarshalled. */
const listingsPerPage = 1_000

/** The listings of sources, and for each source a head item, which counts its runs. */
export class ListingTable {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /**
   * Begins a run: takes the next number of the source. From then on no earlier run writes anything, because each of
   * their transactions checks the number.
   *
   * @param file the hash of the file, and the UTC day
   */
  async beginRun(source: string, file: { readonly hash: string; readonly day: string }): Promise<Run> {
    for (let attempt = 0; attempt < maximumAttempts; attempt += 1) {
      const head = await this.findHead(source)
      const firstDay = head?.hash === file.hash ? head.firstDay : file.day
      const number = (head?.run ?? 0) + 1
      const put = new PutCommand({
        TableName: this.#table,
        Item: { source: headPartition, reference: source, run: number, hash: file.hash, firstDay, lastDay: file.day },
        ConditionExpression: head === undefined ? 'attribute_not_exists(run)' : 'run = :run',
        ExpressionAttributeValues: head === undefined ? undefined : { ':run': head.run },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      })
      const outcome = await awaitConditionalWrite(this.#client.send(put))
      if (outcome.met) return { source, number, hash: file.hash, firstDay }
    }
    throw new UserError(`Other runs of ${source} begin at the same time. Run the same command again.`)
  }

  /** Finds the head item of a source; undefined before its first run. */
  async findHead(source: string) {
    const { Item: item } = await this.#client.send(
      new GetCommand({
        TableName: this.#table,
        Key: { source: headPartition, reference: source },
        ConsistentRead: true,
      }),
    )
    if (item === undefined) return undefined
    const reading = readHead(item)
    if (reading.kind === 'malformed') throw new UserError(describeMalformedItem(reading))
    return reading.value
  }

  /** Reads all listings of a source (strongly consistent). */
  async readAll(source: string): Promise<ReadonlyMap<string, Listing>> {
    const request = {
      TableName: this.#table,
      ConsistentRead: true,
      // "source" is a reserved word of DynamoDB.
      ExpressionAttributeNames: { '#source': 'source' },
      KeyConditionExpression: '#source = :source',
      ExpressionAttributeValues: { ':source': source },
    }
    const listings: Listing[] = []
    for await (const { Items = [] } of paginateQuery({ client: this.#client, pageSize: listingsPerPage }, request)) {
      listings.push(...Items.map(parseListing))
    }
    return new Map(listings.map((listing) => [listing.reference, listing]))
  }

  /** Reads some listings of a source (strongly consistent). */
  async readSome(source: string, references: readonly string[]): Promise<ReadonlyMap<string, Listing>> {
    const keys = references.map((reference) => ({ source, reference }))
    const items = await findItems(this.#client, this.#table, keys)
    return new Map(items.map(parseListing).map((listing) => [listing.reference, listing]))
  }

  /**
   * Creates the item of a transaction that stores a listing.
   *
   * @param previousVersion the version that the stored listing must have; undefined if there must be none
   */
  createPut(source: string, listing: Listing, previousVersion: string | undefined) {
    return {
      Put: {
        TableName: this.#table,
        Item: { source, ...listing },
        ...(previousVersion === undefined
          ? { ConditionExpression: 'attribute_not_exists(version)' }
          : {
              ConditionExpression: 'version = :version',
              ExpressionAttributeValues: { ':version': previousVersion },
            }),
      },
    }
  }

  /**
   * Creates the item of a transaction that checks that no later run has begun. It is an update that changes nothing,
   * because the local database has no ConditionCheck, which would cost the same.
   */
  createRunCheck({ source, number }: Pick<Run, 'source' | 'number'>) {
    return {
      Update: {
        TableName: this.#table,
        Key: { source: headPartition, reference: source },
        UpdateExpression: 'SET run = :run',
        ConditionExpression: 'run = :run',
        ExpressionAttributeValues: { ':run': number },
      },
    }
  }
}

const readHead = createItemReader(
  { run: createNumberReader(Number.MAX_SAFE_INTEGER), hash: readTextAttribute, firstDay: readTextAttribute },
  ({ reference }) => `head of the source ${reference}`,
)

const readByHand = createItemReader(
  { name: optional(readTextAttribute), categoryId: optional(readInt64Attribute) },
  () => 'values by hand',
)

const readListing = createItemReader(
  {
    reference: readTextAttribute,
    petId: readInt64Attribute,
    state: createWordReader(listingStates),
    name: optional(readTextAttribute),
    categoryId: optional(readInt64Attribute),
    status: optional(createWordReader(petStatuses)),
    byHand: (attribute) => {
      const reading = readByHand(Object(attribute) as Attributes)
      return reading.kind === 'malformed' ? malformed : reading.value
    },
    petChangeId: optional(readTextAttribute<ChangeId>),
    version: readTextAttribute,
  },
  ({ source, reference }) => `listing ${source} ${reference}`,
)

/** @throws UserError that names the listing and the attribute, if somebody has damaged it by hand */
const parseListing = (item: Attributes): Listing => {
  const reading = readListing(item)
  if (reading.kind === 'malformed') {
    throw new UserError(`${describeMalformedItem(reading)} Delete this item, and run pets sync with --reread.`)
  }
  return reading.value
}
