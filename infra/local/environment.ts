import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { printableLines } from '../command-line/printable.ts'
import { UserError } from '../command-line/user-error.ts'
import { environments, localStage } from '../environments.ts'
import { connectToLocalDatabase } from '../operations/environment/local-database.ts'
import { KeyAdministration } from '../operations/keys/administration.ts'
import { createSeededPet } from '../operations/seed/seeded-pet.ts'
import { releaseAssembly, synthesize } from '../synthesis/synthesize.ts'
import { openDataFolder } from './data-folder.ts'
import { createTables, deleteTables } from './database/create-tables.ts'
import { type Database, startDynalite } from './database/dynalite.ts'
import { deriveDemoKeys, issueDemoKeys } from './demo-keys.ts'
import { openGateway } from './gateway/server.ts'
import { createFunctionHost } from './lambda/function-host.ts'
import { createReferenceSite } from './reference-site.ts'
import { readEnvironmentTemplate } from './template/environment-template.ts'
import { watchSources } from './watch.ts'

export interface LocalEnvironmentOptions {
  /** 0 takes a free one. */
  readonly port: number
  /** Keeps the data. */
  readonly dataFolder: string
  /** Deletes what the data folder holds. */
  readonly fresh?: boolean
  /** The endpoint of a DynamoDB that runs already, such as DynamoDB Local. @default the built-in one */
  readonly dynamodb?: string | undefined
  /** Applies changes of the sources while it runs. */
  readonly watch?: boolean
  /** A cloud assembly that exists already, instead of one synthesized here. */
  readonly assembly?: string
  /** Takes what the functions write and what goes wrong. @default standard error */
  readonly writeLine?: (line: string) => void
}

export type LocalEnvironment = Awaited<ReturnType<typeof startLocalEnvironment>>

/**
 * Starts the whole service on this machine, in this process.
 *
 * @throws UserError for a problem that the caller can fix. Nothing is left running then.
 */
export const startLocalEnvironment = async (options: LocalEnvironmentOptions) => {
  const { dataFolder, dynamodb, fresh = false } = options
  const { writeLine = (line: string) => console.error(printableLines(line)) } = options
  await using resources = new AsyncDisposableStack()

  // First of all, so that a port that is taken is reported at once.
  const gateway = await openGateway(options.port, writeLine)
  const { port } = gateway
  resources.defer(gateway.close)
  const setRunning = await openDataFolder(dataFolder, port, fresh)

  const [database, assembly] = await Promise.all([
    dynamodb === undefined ? startDynalite({ folder: dataFolder, fresh }) : reach(dynamodb),
    options.assembly ?? synthesize(),
  ])
  resources.defer(database.close)
  const client = connectToLocalDatabase(database.endpoint)
  resources.defer(() => client.destroy())

  const databaseEndpoint = database.endpoint
  /** Takes an assembly into use: its tables are there then. */
  const host = async (folder: string) => {
    const template = readEnvironmentTemplate(folder, localStage)
    await createTables(client, template.tables)
    const functions = createFunctionHost({ functions: template.functions, databaseEndpoint, writeLine })
    return { ...template, folder, functions }
  }
  if (fresh) await deleteTables(client, readEnvironmentTemplate(assembly, localStage).tables)
  let current = await host(assembly)
  resources.defer(() => current.functions.close())
  const { names, restApi } = current
  const documents = DynamoDBDocumentClient.from(client)
  const administration = new KeyAdministration({ name: 'local', database: documents, tables: names.tables })
  // Without an API key no start has come as far as the next lines, and nobody has removed a sample.
  if ((await administration.list()).length === 0) {
    const pets = new PetStore(documents, names.tables.pets)
    // The first of `npm run seed`.
    await Promise.all(Array.from({ length: 36 }, (_, index) => pets.put(createSeededPet(index), 'sample')))
  }
  const keys = deriveDemoKeys(environments[localStage].apiKeyPrefix)
  await issueDemoKeys(administration, keys)

  const referenceUrl = `http://127.0.0.1:${port}/`
  /** Without a slash at its end. */
  const baseUrl = `${referenceUrl}${restApi.stageName}`
  const serve = (): void => {
    const site = createReferenceSite({ baseUrl, environment: 'local', demoKeys: keys })
    gateway.serve({ api: current.restApi, functions: current.functions, site })
  }
  serve()
  const apply = async () => {
    const previous = current
    current = await host(await synthesize())
    serve()
    void previous.functions.close()
    if (current.folder !== previous.folder) releaseAssembly(previous.folder)
  }
  if (options.watch) resources.defer(watchSources({ inUse: assembly, apply, writeLine }))

  setRunning({ ...names, baseUrl, databaseEndpoint })
  // First of all, after the responses to the requests under way.
  resources.defer(gateway.close)
  const running = resources.move()
  /** Responds to the requests under way, then ends everything that belongs to the environment. */
  const stop = () => running.disposeAsync()
  return { port, baseUrl, referenceUrl, databaseEndpoint, names, demoKeys: keys, stop }
}

/** @throws UserError when nothing responds there */
const reach = async (endpoint: string): Promise<Database> => {
  await fetch(endpoint).catch(() => {
    throw new UserError(`No DynamoDB responds at ${endpoint}. Start it, or leave out --dynamodb.`)
  })
  return { endpoint, close: async () => undefined }
}
