import { isDeepStrictEqual } from 'node:util'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { toDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { makeLinesPrintable } from '../command-line/printable.ts'
import { UserError } from '../command-line/user-error.ts'
import { connectToLocalDatabase } from '../commands/environment/local-database.ts'
import { acceptsConnections } from '../commands/environment/local-environment.ts'
import { defaults, localStage } from '../environments.ts'
import type { SiteOptions } from '../reference/site-options.ts'
import { openDataFolder } from './data-folder.ts'
import { createTables } from './database/create-tables.ts'
import { type Database, startDynalite } from './database/dynalite.ts'
import { addDemoData, demoKeys } from './demo-data.ts'
import { openGateway } from './gateway/server.ts'
import { createFunctionHost } from './lambda/function-host.ts'
import { buildSiteInThread, createReferenceSite } from './reference-site.ts'
import { runProgram } from './synthesis/run-program.ts'
import { findAssemblyFolder, synthesize, unmarkAssembly } from './synthesis/synthesize.ts'
import { readEnvironmentTemplate } from './template/environment-template.ts'
import { watchCode } from './watch.ts'

/** The code from which a cloud assembly and the API reference are built. */
interface Code {
  /** Computes the fingerprint of the code, a text that changes with the code: the folder of its assembly. */
  readonly readFingerprint: () => string
  /** Writes the files that are generated from others. */
  readonly generate: () => Promise<void>
  /** @returns the folder of the cloud assembly */
  readonly synthesize: () => Promise<string>
  /** Builds the files of the API reference. */
  readonly buildSite: typeof buildSiteInThread
}

const codeOfRepository: Code = {
  readFingerprint: findAssemblyFolder,
  generate: () => runProgram('infra/contract/generate.ts'),
  synthesize,
  buildSite: buildSiteInThread,
}

export interface LocalEnvironmentOptions {
  /** Port of the API; 0 takes a free one. */
  readonly port: number
  /** Folder that keeps the data. */
  readonly dataFolder: string
  /** Deletes the contents of the data folder first. */
  readonly fresh?: boolean
  /** Endpoint of a DynamoDB that runs already, such as DynamoDB Local. @default the built-in DynamoDB is started */
  readonly dynamodb?: string | undefined
  /** Applies changes of the code while the environment runs. */
  readonly watch?: boolean
  /** Code to run and to watch. @default that of the repository */
  readonly code?: Code
  /** Existing cloud assembly. @default the code is synthesized */
  readonly assembly?: string
  /** Writes one line: a log line of a function, a problem, or news of the watch. @default writes to standard error */
  readonly writeLine?: (line: string) => void
}

export type LocalEnvironment = Awaited<ReturnType<typeof startLocalEnvironment>>

const writeToStandardError = (line: string): void => console.error(makeLinesPrintable(line))

/**
 * Starts the whole service on this machine, in this process. If the start fails, nothing is left running.
 *
 * @throws UserError for a problem that the user can correct
 */
export const startLocalEnvironment = async (options: LocalEnvironmentOptions) => {
  const { dataFolder, dynamodb, fresh = false, code = codeOfRepository, writeLine = writeToStandardError } = options
  await using resources = new AsyncDisposableStack()

  // The gateway listens first, so that a port that is taken is reported before the slow steps.
  const gateway = await openGateway(options.port, writeLine)
  const { port } = gateway
  resources.defer(gateway.close)
  // Commands find the environment once `recordEnvironment` is called, at the end.
  const recordEnvironment = openDataFolder(dataFolder, fresh)

  const [database, assembly] = await Promise.all([
    dynamodb === undefined ? startDynalite({ folder: dataFolder, fresh }) : openRunningDatabase(dynamodb),
    options.assembly ?? code.synthesize(),
  ])
  const databaseEndpoint = database.endpoint
  resources.defer(database.close)
  const client = connectToLocalDatabase(databaseEndpoint)
  resources.defer(() => client.destroy())

  const served = await serveAssembly(assembly, { gateway, client, databaseEndpoint, code, writeLine, resources })
  const { baseUrl, referenceUrl } = served
  const record = (): void =>
    recordEnvironment({ ...served.readNames(), processId: process.pid, baseUrl, databaseEndpoint })

  if (options.watch) {
    const { readFingerprint, generate } = code
    const apply = async (): Promise<void> => {
      await served.applyChange()
      record()
    }
    // The folder of an assembly is the fingerprint of its code.
    resources.defer(watchCode({ initialFingerprint: assembly, readFingerprint, generate, apply, writeLine }))
  }

  record()
  // The gateway is deferred once more, so that a stop closes it first: requests under way need functions and database.
  resources.defer(gateway.close)
  // From here on only `stop` ends the resources: the end of this function would dispose of what is not moved.
  const running = resources.move()
  return {
    port,
    /** URL of the API, without a slash at its end. */
    baseUrl,
    referenceUrl,
    databaseEndpoint,
    /** Names of the tables at the start. A watched change may replace them. */
    names: served.readNames(),
    demoKeys,
    /** Responds to the requests under way, then ends everything that belongs to the environment. */
    stop: () => running.disposeAsync(),
  }
}

interface HostOptions {
  readonly client: DynamoDBClient
  readonly databaseEndpoint: string
  readonly writeLine: (line: string) => void
}

interface ServingOptions extends HostOptions {
  readonly gateway: Awaited<ReturnType<typeof openGateway>>
  readonly code: Code
  /** Ends the functions. */
  readonly resources: AsyncDisposableStack
}

/** Serves the functions of a cloud assembly and the API reference through the gateway. */
const serveAssembly = async (assembly: string, options: ServingOptions) => {
  const { gateway, client, code, resources } = options
  let current = await hostAssembly(assembly, options)
  resources.defer(() => current.functionHost.close())
  await addDemoData(toDocumentClient(client), current.names)

  const referenceUrl = `http://127.0.0.1:${gateway.port}/`
  const baseUrl = `${referenceUrl}${current.restApi.stageName}`
  const siteOptions: SiteOptions = {
    baseUrl,
    environment: 'local',
    banPolicy: defaults[localStage].banPolicy,
    demoKeys,
  }
  const createSite = () => createReferenceSite(siteOptions, code.buildSite)
  const serve = (site: ReturnType<typeof createSite>): void => {
    gateway.serve({ api: current.restApi, functions: current.functionHost, site: site.respond })
  }
  serve(createSite())

  /** Serves the changed code. If its reference or its templates cannot be built, none of it is used. */
  const applyChange = async (): Promise<void> => {
    const site = createSite()
    const [folder] = await Promise.all([code.synthesize(), site.build()])
    const previous = current
    const next = await hostAssembly(folder, options)
    if (!isDeepStrictEqual(next.names, previous.names)) await addDemoData(toDocumentClient(client), next.names)
    current = next
    serve(site)
    // The previous functions end once they are idle. Nothing waits for them.
    void previous.functionHost.close()
    // Without the mark of this process, an assembly may be removed.
    if (current.folder !== previous.folder) unmarkAssembly(previous.folder)
  }
  return { baseUrl, referenceUrl, readNames: () => current.names, applyChange }
}

/** Creates the tables of a cloud assembly that do not exist, and hosts its functions. */
const hostAssembly = async (folder: string, options: HostOptions) => {
  const { client, databaseEndpoint, writeLine } = options
  const template = readEnvironmentTemplate(folder, localStage)
  await createTables(client, template.tables)
  const functionHost = createFunctionHost({ functions: template.functions, databaseEndpoint, writeLine })
  return { folder, names: template.names, restApi: template.restApi, functionHost }
}

/**
 * Opens a database that runs already.
 *
 * @throws UserError when nothing responds at its endpoint
 */
const openRunningDatabase = async (endpoint: string): Promise<Database> => {
  if (!(await acceptsConnections(endpoint))) {
    throw new UserError(`No DynamoDB responds at ${endpoint}. Start it, or leave out --dynamodb.`)
  }
  // The environment has not started this database, and does not end it.
  return { endpoint, close: async () => undefined }
}
