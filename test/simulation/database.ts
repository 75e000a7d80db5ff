/**
 * DynamoDB in this process: the operations of the built-in engine, called without a socket, behind a network that loses
 * requests and responses.
 *
 * Unlike DynamoDB on AWS it throttles at random, not by traffic, and a read that is not consistent always sees the last
 * write of the table itself. Queries of the index see older writes, as on AWS: each partition of the index follows the
 * table at a pace of its own.
 */
import { type AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createTables } from '../../infra/local/database/create-tables.ts'
import { createOperations } from '../../infra/local/database/operations.ts'
import { createFailure, createStore, isFailure } from '../../infra/local/database/store.ts'
import type { Table } from '../../infra/local/template/environment-template.ts'
import { localCredentials, localRegion } from '../../infra/operations/environment/local-database.ts'
import { createBoundedRetries, maximumAttemptsPerCall } from '../../shared/dynamodb/bounded-retries.ts'
import { toDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { petStatuses } from '../../shared/pets/pet.ts'
import type { Faults } from './faults.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The process that makes a call. It may stand still, or stop for good. */
export interface Process {
  /** Resolves when the process runs: at once, later, or never. */
  readonly waitUntilRunning: () => Promise<void>
}

/** A process that runs until the simulation ends. */
export const runningProcess: Process = { waitUntilRunning: async () => {} }

/** An item in the format of DynamoDB's protocol. */
export type StoredItem = Record<string, AttributeValue>

/** The part of an operation's parameters that shows which items it writes or reads. */
interface Parameters {
  readonly TableName?: string
  readonly IndexName?: string
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
  readonly petsTable: string
  /** Learns each item that is put into the pets table. */
  readonly onPetStored: (item: StoredItem) => void
}

export class SimulatedDatabase {
  readonly #options: DatabaseOptions
  readonly #table = createOperations(createStore(':memory:'))
  /** Copies of the table, one for each partition of the index. */
  readonly #partitions = new Map<string, PerformOperation>(
    petStatuses.map((status) => [status, createOperations(createStore(':memory:'))]),
  )

  constructor(options: DatabaseOptions) {
    this.#options = options
  }

  /** Creates the tables. */
  async open(): Promise<void> {
    for (const perform of [this.#table, ...this.#partitions.values()]) {
      await createTables(this.#createClient(perform), this.#options.tables)
    }
  }

  /** Creates a client whose calls meet the faults of the network, as the functions create theirs. */
  connect(process: Process): DynamoDBDocumentClient {
    const perform: PerformOperation = async (operation, parameters) => {
      await process.waitUntilRunning()
      await this.#options.time.pause(this.#options.random.between(1, 6))
      const result = await this.#performWithFaults(operation, parameters)
      await process.waitUntilRunning()
      return result
    }
    return toDocumentClient(this.#createClient(perform))
  }

  /** Creates a client that meets no fault and takes no time, for those who observe the simulation. */
  observe(): DynamoDBDocumentClient {
    return toDocumentClient(this.#createClient(this.#table))
  }

  #createClient(perform: PerformOperation): DynamoDBClient {
    const handle = async ({ headers, body }: { headers: Record<string, string>; body?: Uint8Array }) => {
      const operation = String(headers['x-amz-target']).replace('DynamoDB_20120810.', '')
      return { response: await respond(() => perform(operation, JSON.parse(new TextDecoder().decode(body)))) }
    }
    return new DynamoDBClient({
      region: localRegion,
      endpoint: 'http://database.example',
      credentials: localCredentials,
      maxAttempts: maximumAttemptsPerCall,
      retryStrategy: createBoundedRetries(),
      // The engine checks no signature.
      signer: { sign: async (request) => request },
      requestHandler: { handle, updateHttpClientConfig: () => {}, httpHandlerConfigs: () => ({}) },
    })
  }

  async #performWithFaults(operation: string, parameters: Parameters): Promise<unknown> {
    const { faults, time } = this.#options
    const fate = faults.drawCall()
    if (fate === 'throttled') throw createFailure(400, 'ThrottlingException', 'Throttled by the simulation.')
    if (fate === 'request lost') {
      await time.pause(1_000)
      throw createTimeout()
    }

    const result = await this.#perform(operation, parameters)
    if (fate === 'response lost') {
      await time.pause(1_000)
      throw createTimeout()
    }
    return result
  }

  async #perform(operation: string, parameters: Parameters): Promise<unknown> {
    if (parameters.IndexName !== undefined) return this.#queryIndex(operation, parameters)
    const result = await this.#table(operation, parameters)
    this.#followWrites(operation, parameters)
    return result
  }

  #queryIndex(operation: string, parameters: Parameters): Promise<unknown> {
    const status = parameters.ExpressionAttributeValues?.[':status']?.S ?? ''
    const partition = this.#partitions.get(status)
    if (partition === undefined) throw new Error(`The index has no partition "${status}".`)
    return partition(operation, parameters)
  }

  /** Lets each partition of the index follow the writes of an operation, after a time of its own. */
  #followWrites(operation: string, parameters: Parameters): void {
    const { petsTable, faults, onPetStored } = this.#options
    const writes = parameters.TransactItems?.flatMap((item) => Object.values(item)) ?? [parameters]
    const isWrite = /^(Put|Update|Delete|TransactWrite)Item/.test(operation)
    for (const { TableName, Item, Key } of writes) {
      const id = Item?.['id'] ?? Key?.['id']
      if (!isWrite || TableName !== petsTable) continue
      if (Item !== undefined) onPetStored(Item)
      for (const status of petStatuses) {
        // The order of the copies does not matter: each one takes the item as it is then.
        setTimeout(() => this.#copy(status, id), faults.drawIndexLag())
      }
    }
  }

  /** Copies an item to a partition of the index, or removes it there if it has another status now. */
  async #copy(status: string, id: unknown): Promise<void> {
    const { petsTable } = this.#options
    const partition = this.#partitions.get(status)
    const read = await this.#table('GetItem', { TableName: petsTable, Key: { id } })
    // GetItem returns an object.
    const { Item: item } = read as { readonly Item?: { readonly status?: { readonly S?: string } } }
    if (item?.status?.S === status) await partition?.('PutItem', { TableName: petsTable, Item: item })
    else await partition?.('DeleteItem', { TableName: petsTable, Key: { id } })
  }
}

/** Turns a result or a failure of the engine into an HTTP response. */
const respond = async (perform: () => Promise<unknown>) => {
  const createResponse = (statusCode: number, body: unknown) => ({
    statusCode,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: Buffer.from(JSON.stringify(body)),
  })
  try {
    return createResponse(200, await perform())
  } catch (error) {
    if (!isFailure(error)) throw error
    return createResponse(error.statusCode, error.body)
  }
}

/** Creates the error of the SDK for a response that does not come. */
const createTimeout = (): Error => Object.assign(new Error('No response came.'), { name: 'TimeoutError' })
