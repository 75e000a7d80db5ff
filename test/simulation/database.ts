/**
 * DynamoDB in this process: the operations of the built-in engine, called without a socket, behind a network that loses
 * requests and responses. Queries of the index see older writes, as on AWS: each partition of the index follows the
 * table at a pace of its own. A transaction takes some time, in which other writes of its items are rejected.
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
import { createTables } from '../../infra/local/database/create-tables.ts'
import { createOperations } from '../../infra/local/database/operations.ts'
import { createFailure, createStore, isFailure } from '../../infra/local/database/store.ts'
import type { Table } from '../../infra/local/template/environment-template.ts'
import { localCredentials, localRegion } from '../../infra/operations/environment/local-database.ts'
import { createBoundedRetries, maximumAttemptsPerCall } from '../../shared/dynamodb/bounded-retries.ts'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { toDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { parseNumberAttribute } from '../../shared/int64.ts'
import { CallCounts } from './call-counts.ts'
import type { Faults } from './faults.ts'
import { LaggingIndex } from './lagging-index.ts'
import type { Random } from './random.ts'
import { Transactions } from './transactions.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The process that makes a call. It may stand still, or stop for good. */
export interface Process {
  /**
   * Resolves when the process runs: at once, later, or never.
   *
   * @param weight factor of the probability that the process stands still or stops. It is higher for rare calls.
   */
  readonly waitUntilRunning: (weight: number) => Promise<void>
  /** Returns the time at which the present invocation of its function times out. */
  readonly getDeadline: () => number
}

/** A process that runs until the simulation ends. */
export const runningProcess: Process = { waitUntilRunning: async () => {}, getDeadline: () => Number.POSITIVE_INFINITY }

/** An item in the format of DynamoDB's protocol. */
type StoredItem = Record<string, AttributeValue>

/** A write of an API key: its item before, if there was one, and after. */
export interface KeyWrite {
  readonly before: Attributes | undefined
  readonly after: Attributes
}

type OnKeyWritten = (write: KeyWrite) => void

/** The item that an operation writes. */
interface WrittenItem {
  readonly table: string | undefined
  /** The item or the key that the operation names. */
  readonly named: StoredItem
}

/** The part of an operation's parameters that shows which items it writes or reads. */
interface Parameters {
  readonly TableName?: string
  readonly IndexName?: string
  readonly UpdateExpression?: string
  readonly Item?: StoredItem
  readonly Key?: StoredItem
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>
  readonly TransactItems?: readonly Readonly<Record<string, Parameters>>[]
}

type PerformOperation = ReturnType<typeof createOperations>

interface DatabaseOptions {
  readonly time: VirtualTime
  readonly random: Random
  readonly faults: Faults
  readonly tables: readonly Table[]
  readonly tableNames: { readonly pets: string; readonly apiKeys: string }
  /**
   * Learns each item that is put into the pets table.
   *
   * @param isOverdue whether the invocation that puts it should have ended
   */
  readonly onPetStored: (item: Attributes, isOverdue: boolean) => void
}

/** How a client repeats calls. */
type Retries = Pick<DynamoDBClientConfig, 'retryStrategy' | 'maxAttempts'>

interface ConnectOptions {
  /** Learns each write of an API key by this client. */
  readonly onKeyWritten?: OnKeyWritten
  /** How the client repeats calls. Default: as the functions do. */
  readonly retries?: Retries
}

/** How the functions repeat calls. */
const createFunctionRetries = (): Retries => ({
  maxAttempts: maximumAttemptsPerCall,
  retryStrategy: createBoundedRetries(),
})

/** Milliseconds that a transaction takes at least and at most. AWS documents no times. */
const shortestTransaction = 5
const longestTransaction = 500

export class SimulatedDatabase {
  readonly #options: DatabaseOptions
  readonly #table = createOperations(createStore(':memory:'))
  readonly #statusIndex: LaggingIndex
  readonly #transactions = new Transactions()
  readonly #callCounts = new CallCounts()

  constructor(options: DatabaseOptions) {
    this.#options = options
    const { faults, tableNames } = options
    this.#statusIndex = new LaggingIndex(this.#table, tableNames.pets, () => faults.drawIndexLag())
  }

  /** Creates the tables. */
  async open(): Promise<void> {
    for (const perform of [this.#table, ...this.#statusIndex.partitions]) {
      await createTables(this.#createClient(perform), this.#options.tables)
    }
  }

  /** Creates a client whose calls meet the faults of the network, as the functions create theirs. */
  connect(process: Process, { onKeyWritten, retries }: ConnectOptions = {}): DynamoDBDocumentClient {
    const performOnce = (operation: string, parameters: Parameters, deadline: number): Promise<unknown> =>
      onKeyWritten === undefined
        ? this.#perform(operation, parameters, deadline)
        : this.#performAndTell(operation, parameters, deadline, onKeyWritten)
    const perform: PerformOperation = async (operation, parameters) => {
      // An instance may make the call late, when it runs again for another invocation.
      const deadline = process.getDeadline()
      const weight = this.#callCounts.weigh(operation, parameters)
      await process.waitUntilRunning(weight)
      await this.#options.time.pause(this.#options.random.between(1, 6))
      const result = await this.#meetFault(() =>
        this.#meetTransactions(operation, parameters, () => performOnce(operation, parameters, deadline)),
      )
      await process.waitUntilRunning(weight)
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

  /** Performs an operation, unless a transaction is just writing one of its items. A transaction takes some time. */
  async #meetTransactions(
    operation: string,
    parameters: Parameters,
    perform: () => Promise<unknown>,
  ): Promise<unknown> {
    const items = listWrittenItems(operation, parameters).map((item) => this.#nameItem(item))
    if (operation !== 'TransactWriteItems') {
      this.#transactions.requireFree(items)
      return perform()
    }

    const { time, random } = this.#options
    using _transaction = this.#transactions.begin(items)
    await time.pause(shortestTransaction * (longestTransaction / shortestTransaction) ** random.next())
    return await perform()
  }

  /** Names an item by its table and its partition key. No table has a sort key. */
  #nameItem({ table, named }: WrittenItem): string {
    const [key] = this.#options.tables.find(({ name }) => name === table)?.KeySchema ?? []
    return JSON.stringify([table, named[key?.AttributeName ?? '']])
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

  async #perform(operation: string, parameters: Parameters, deadline: number): Promise<unknown> {
    if (parameters.IndexName !== undefined) return this.#statusIndex.query(operation, parameters)
    const result = await this.#table(operation, parameters)
    this.#followWrites(operation, parameters, deadline)
    return result
  }

  /** Performs an operation, and tells which API keys it has written. Nothing else runs meanwhile. */
  async #performAndTell(
    operation: string,
    parameters: Parameters,
    deadline: number,
    onKeyWritten: OnKeyWritten,
  ): Promise<unknown> {
    const { apiKeys } = this.#options.tableNames
    const keys = listWrittenItems(operation, parameters)
      .filter(({ table }) => table === apiKeys)
      .map(({ named: { keyHash } }) => ({ keyHash }))
    const readKey = async (key: object): Promise<Attributes | undefined> => {
      const { Item: item } = (await this.#table('GetItem', { TableName: apiKeys, Key: key })) as { Item?: StoredItem }
      return item && unmarshall(item)
    }

    const before = await Promise.all(keys.map(readKey))
    const result = await this.#perform(operation, parameters, deadline)
    for (const [index, key] of keys.entries()) {
      const after = await readKey(key)
      if (after !== undefined) onKeyWritten({ before: before[index], after })
    }
    return result
  }

  /** Tells of the pets that an operation has written, also to the index. */
  #followWrites(operation: string, parameters: Parameters, deadline: number): void {
    const { tableNames, time, onPetStored } = this.#options
    for (const { table, named } of listWrittenItems(operation, parameters)) {
      if (table !== tableNames.pets) continue
      // Pets are always put as a whole.
      onPetStored(unmarshall(named, { wrapNumbers: parseNumberAttribute }), time.now > deadline)
      this.#statusIndex.follow(named['id'])
    }
  }
}

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

/** Creates the error of the SDK for a response that does not come. */
/** Rejects as the SDK's handler of requests does, when the signal is aborted. */
const rejectWhenAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = () => reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }))
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })

const createTimeout = (): Error => Object.assign(new Error('No response came.'), { name: 'TimeoutError' })
