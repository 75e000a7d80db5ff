/**
 * DynamoDB in this process: the operations of the built-in engine, called without a socket, behind a network that loses
 * requests and responses. A transaction takes some time, in which other writes of its items are rejected.
 *
 * Unlike DynamoDB on AWS:
 * - It throttles at random, not by traffic.
 * - A read that is not consistent always sees the last write of the table itself.
 * - A read never meets a transaction: it sees the items before or after it.
 * - A transaction that is sent again is performed again. On AWS the SDK's `ClientRequestToken` makes it succeed without
 *   a second effect for ten minutes, and is rejected with a TransactionInProgressException while the first one is under
 *   way.
 * - It deletes no item whose time to live has passed.
 */
import { type AttributeValue, DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { localCredentials, localRegion } from '../../infra/commands/environment/local-database.ts'
import { createCallExecutor, createCancellation } from '../../infra/local/database/calls.ts'
import { createTables } from '../../infra/local/database/create-tables.ts'
import { createFailure, createStorage, isFailure } from '../../infra/local/database/storage.ts'
import type { Table } from '../../infra/local/template/environment-template.ts'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { BoundedRetries, toDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { parseNumberAttribute } from '../../shared/int64.ts'
import { LaggingIndex, listPutItems, type NewestQuery } from '../fixtures/database/lagging-index.ts'
import type { Faults } from './faults.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The process that makes a call. It may stand still, or stop for good. */
export interface Process {
  /**
   * Resolves when the process runs: at once, later, or never.
   *
   * @param isRareCall whether the process is at a rare call, at which it stands still or stops more often
   */
  readonly waitUntilRunning: (isRareCall: boolean) => Promise<void>
}

/** A process that runs until the simulation ends. */
export const runningProcess: Process = { waitUntilRunning: async () => {} }

/** An item in the format of DynamoDB's protocol. */
type StoredItem = Record<string, AttributeValue>

/** A write of an API key or a pet: its item before, if there was one, and after. */
export interface ItemWrite {
  readonly before: Attributes | undefined
  readonly after: Attributes
}

type OnItemWritten = (write: ItemWrite) => void

/** The item that an operation writes. */
interface WrittenItem {
  readonly table: string | undefined
  /** The item or the key that the operation names. */
  readonly named: StoredItem
}

/** The part of an operation's parameters that shows which items it writes or reads. */
interface Parameters extends NewestQuery {
  readonly TableName?: string
  readonly IndexName?: string
  readonly UpdateExpression?: string
  readonly Item?: StoredItem
  readonly Key?: StoredItem
  readonly TransactItems?: readonly Readonly<Record<string, Parameters>>[]
}

type PerformOperation = ReturnType<typeof createCallExecutor>

interface DatabaseOptions {
  readonly time: VirtualTime
  readonly random: Random
  readonly faults: Faults
  readonly tables: readonly Table[]
  readonly tableNames: { readonly pets: string; readonly apiKeys: string }
  /** Learns each item that is put into the pets table. */
  readonly onPetTabled: (item: Attributes) => void
}

/** How a client repeats calls. */
type Retries = Pick<DynamoDBClientConfig, 'retryStrategy' | 'maxAttempts'>

interface ConnectOptions {
  /** Learns each write of an API key or a pet by this client. */
  readonly onItemWritten?: OnItemWritten
  /** How the client repeats calls. Default: as the functions do. */
  readonly retries?: Retries
}

/** How the functions repeat calls. */
const createFunctionRetries = (): Retries => ({
  retryStrategy: new BoundedRetries(),
})

/** Milliseconds that a transaction takes at least and at most. AWS documents no times. */
const shortestTransaction = 5
const longestTransaction = 500

export class SimulatedDatabase {
  readonly #options: DatabaseOptions
  readonly #table = createCallExecutor(createStorage(':memory:'))
  readonly #statusIndex: LaggingIndex
  /** Names of the items that transactions are just writing. */
  readonly #busyItems = new Set<string>()

  constructor(options: DatabaseOptions) {
    this.#options = options
    const { faults, time } = options
    this.#statusIndex = new LaggingIndex({ clock: () => time.now, drawLag: () => faults.drawIndexLag() })
  }

  /** Creates the tables. */
  async open(): Promise<void> {
    await createTables(this.#createClient(this.#table), this.#options.tables)
  }

  /** Creates a client whose calls meet the faults of the network, as the functions create theirs. */
  connect(process: Process, { onItemWritten, retries }: ConnectOptions = {}): DynamoDBDocumentClient {
    const performOnce = (operation: string, parameters: Parameters): Promise<unknown> =>
      onItemWritten === undefined
        ? this.#perform(operation, parameters)
        : this.#performAndTell(operation, parameters, onItemWritten)
    const perform: PerformOperation = async (operation, parameters) => {
      const isRareCall = isRare(operation, parameters)
      await process.waitUntilRunning(isRareCall)
      await this.#options.time.pause(this.#options.random.between(1, 6))
      const result = await this.#meetFault(() =>
        this.#meetTransactions(operation, parameters, () => performOnce(operation, parameters)),
      )
      await process.waitUntilRunning(isRareCall)
      return result
    }
    return toDocumentClient(this.#createClient(perform, retries))
  }

  /** Creates a client that meets no fault and takes no time, for those who observe the simulation. */
  observe(): DynamoDBDocumentClient {
    return toDocumentClient(this.#createClient(this.#table))
  }

  #createClient(perform: PerformOperation, retries = createFunctionRetries()): DynamoDBClient {
    const handle = async (
      { headers, body }: { headers: Record<string, string>; body?: Uint8Array },
      { abortSignal }: { abortSignal?: AbortSignal } = {},
    ) => {
      const operation = String(headers['x-amz-target']).replace('DynamoDB_20120810.', '')
      const parameters = JSON.parse(new TextDecoder().decode(body))
      const responded = respond(() => perform(operation, parameters))
      // A call that is aborted has reached the database all the same.
      const { statusCode, body: responseBody } = await Promise.race([responded, rejectWhenAborted(abortSignal)])
      // The `Date` of a response is in whole seconds.
      const date = new Date(this.#options.time.now).toUTCString()
      const responseHeaders = { 'content-type': 'application/x-amz-json-1.0', date }
      return { response: { statusCode, headers: responseHeaders, body: responseBody } }
    }
    return new DynamoDBClient({
      region: localRegion,
      endpoint: 'http://database.example',
      credentials: localCredentials,
      ...retries,
      // The engine checks no signature.
      signer: { sign: async (request) => request },
      requestHandler: { handle, updateHttpClientConfig: () => {}, httpHandlerConfigs: () => ({}) },
    })
  }

  /**
   * Performs an operation. A transaction takes some time, in which every other write of one of its items is rejected
   * ("Amazon DynamoDB Transactions: How it works").
   */
  async #meetTransactions(
    operation: string,
    parameters: Parameters,
    perform: () => Promise<unknown>,
  ): Promise<unknown> {
    const items = listWrittenItems(operation, parameters).map((item) => this.#nameItem(item))
    const isBusy = items.some((item) => this.#busyItems.has(item))
    if (operation !== 'TransactWriteItems') {
      if (isBusy) throw createFailure(400, 'TransactionConflictException', 'Transaction is ongoing for the item')
      return perform()
    }

    if (isBusy) {
      const reasons = items.map((item) => ({ Code: this.#busyItems.has(item) ? 'TransactionConflict' : 'None' }))
      throw createCancellation(reasons)
    }
    const { time, random } = this.#options
    for (const item of items) this.#busyItems.add(item)
    try {
      await time.pause(shortestTransaction * (longestTransaction / shortestTransaction) ** random.next())
      return await perform()
    } finally {
      for (const item of items) this.#busyItems.delete(item)
    }
  }

  /** Names an item by its table and its key. */
  #nameItem({ table, named }: WrittenItem): string {
    const { KeySchema = [] } = this.#options.tables.find(({ name }) => name === table) ?? {}
    return JSON.stringify([table, ...KeySchema.map(({ AttributeName = '' }) => named[AttributeName])])
  }

  async #meetFault(perform: () => Promise<unknown>): Promise<unknown> {
    const { faults, time } = this.#options
    const fate = faults.drawCall()
    if (fate === 'throttled') throw createFailure(400, 'ThrottlingException', 'Throttled by the simulation.')
    if (fate === 'request lost') {
      await time.pause(1_000)
      throw createTimeout()
    }

    const result = await perform()
    if (fate === 'response lost') {
      await time.pause(1_000)
      throw createTimeout()
    }
    return result
  }

  async #perform(operation: string, parameters: Parameters): Promise<unknown> {
    const { tableNames, onPetTabled } = this.#options
    const { TableName, IndexName } = parameters
    if (TableName === tableNames.pets && IndexName !== undefined) return this.#statusIndex.query(parameters)
    const result = await this.#table(operation, parameters)
    for (const item of listPutItems(operation, parameters, tableNames.pets)) {
      onPetTabled(unmarshall({ ...item }, { wrapNumbers: parseNumberAttribute }))
      this.#statusIndex.follow(item)
    }
    return result
  }

  /** Performs an operation, and tells which API keys and pets it has written. Nothing else runs meanwhile. */
  async #performAndTell(operation: string, parameters: Parameters, onItemWritten: OnItemWritten): Promise<unknown> {
    const { pets, apiKeys } = this.#options.tableNames
    const keyNames = new Map([
      [pets, 'id'],
      [apiKeys, 'keyHash'],
    ])
    const keys = listWrittenItems(operation, parameters).flatMap(({ table = '', named }) => {
      const keyName = keyNames.get(table)
      return keyName === undefined ? [] : [{ TableName: table, Key: { [keyName]: named[keyName] } }]
    })
    const read = async (key: object): Promise<Attributes | undefined> => {
      const { Item: item } = (await this.#table('GetItem', key)) as { Item?: StoredItem }
      return item && unmarshall(item, { wrapNumbers: parseNumberAttribute })
    }

    const before = await Promise.all(keys.map(read))
    const result = await this.#perform(operation, parameters)
    for (const [index, key] of keys.entries()) {
      const after = await read(key)
      if (after !== undefined) onItemWritten({ before: before[index], after })
    }
    return result
  }
}

/**
 * Whether a call is neither a list nor one of those that count requests. Without more faults at the rare calls, such as
 * that which bans a key or adds an animal, hardly one of these would meet any.
 */
const isRare = (operation: string, { UpdateExpression = '' }: Parameters): boolean =>
  operation !== 'Query' && (operation !== 'UpdateItem' || UpdateExpression.includes('bannedUntil'))

/** Lists the items that an operation writes, if it succeeds. */
const listWrittenItems = (operation: string, parameters: Parameters): readonly WrittenItem[] => {
  const isWrite = /^(Put|Update|Delete|TransactWrite)Item/.test(operation)
  if (!isWrite) return []
  const writes = parameters.TransactItems?.flatMap((item) => Object.values(item)) ?? [parameters]
  return writes.map(({ TableName, Item, Key }) => ({ table: TableName, named: Item ?? Key ?? {} }))
}

/** Turns a result or a failure of the engine into the status and the body of a response. */
const respond = async (perform: () => Promise<unknown>) => {
  try {
    return { statusCode: 200, body: Buffer.from(JSON.stringify(await perform())) }
  } catch (error) {
    if (!isFailure(error)) throw error
    return { statusCode: error.statusCode, body: Buffer.from(JSON.stringify(error.body)) }
  }
}

/** Rejects as the SDK's handler of requests does, when the signal is aborted. */
const rejectWhenAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = () => reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }))
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })

/** Creates the error of the SDK for a response that does not come. */
const createTimeout = (): Error => Object.assign(new Error('No response came.'), { name: 'TimeoutError' })
