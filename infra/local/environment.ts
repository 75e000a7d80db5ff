import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { ClearError } from '../command-line/clear-error.ts'
import { openDataFolder } from './data-folder.ts'
import { connect } from './database/client.ts'
import type { Engine } from './database/database.ts'
import { startDatabase } from './database/start-database.ts'
import { removeEnvironmentFile, writeEnvironmentFile } from './environment-file.ts'
import { createGatewayServer, type Served } from './gateway/server.ts'
import { createUsage } from './gateway/usage.ts'
import { drain, listen } from './listen.ts'
import type { ResourceNames } from './resource-names.ts'
import { createRuntime, type RuntimeOptions } from './runtime.ts'
import { type DemoKey, demoKeys } from './samples/demo-keys.ts'
import { seed } from './samples/seed.ts'
import { sourceFolders, synthesize } from './synthesize.ts'
import { watchFolders } from './watch.ts'

export interface LocalEnvironmentOptions {
  /** 0 takes a free one. */
  readonly port: number
  /** The folder that keeps the data; without one everything is in memory and gone at the end. */
  readonly dataFolder?: string
  /** Deletes what the data folder holds. */
  readonly fresh?: boolean
  readonly engine?: Engine
  /** Takes up changes of the sources while it runs. */
  readonly watch?: boolean
  /** A cloud assembly that exists already, instead of one synthesized here. */
  readonly assembly?: string
  /** Of the gateway's usage plans; functions have the system's. */
  readonly clock?: Clock
  /** Gets what the functions write and what goes wrong. @default standard error */
  readonly writeLine?: (line: string) => void
}

export interface LocalEnvironment {
  readonly port: number
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly databaseEndpoint: string
  readonly names: ResourceNames
  readonly demoKeys: readonly DemoKey[]
  /** Answers the requests under way, then ends all that belongs to the environment. */
  stop(): Promise<void>
}

/**
 * Starts the whole service on this machine, in this process.
 *
 * @throws ClearError when something stands in the way that the caller can change. Nothing is left
 * running then.
 */
export const startLocalEnvironment = async (options: LocalEnvironmentOptions): Promise<LocalEnvironment> => {
  await using resources = new AsyncDisposableStack()
  const { clock = systemClock, writeLine = (line: string) => console.error(line) } = options
  const { promise: ready, resolve: becomeReady } = Promise.withResolvers<Served>()
  let served: Promise<Served> = ready

  // First of all, so that a port that is taken is told at once. Requests wait until all is ready.
  const reportFault = (error: unknown): void => writeLine(`[gateway] ${describeFault(error)}`)
  const server = createGatewayServer({ served: () => served, clock, reportFault })
  const port = await listen(server, options.port)
  resources.defer(async () => {
    server.closeAllConnections()
    await drain(server)
  })

  const folder = await openStorage(options, port)
  resources.defer(folder.release)
  const assembly = options.assembly ?? join(folder.path, 'cdk.out')
  const engine = options.engine ?? 'dynalite'
  const starting = startDatabase(engine, options.dataFolder && folder.path)
  resources.defer(() =>
    starting.then(
      (database) => database.close(),
      () => {},
    ),
  )
  const unneeded = new AbortController()
  resources.defer(() => unneeded.abort())
  const [database] = await Promise.all([starting, options.assembly ?? synthesize(assembly, unneeded.signal)])
  const client = connect(database.endpoint)
  resources.defer(() => client.destroy())

  const runtimeOptions: RuntimeOptions = { assembly, database, client, usage: createUsage(clock), writeLine }
  let runtime = await createRuntime(runtimeOptions)
  resources.defer(() => runtime.host.close())
  const keys = demoKeys(runtime.names.apiKeyPrefix)
  // Each engine has tables of its own.
  await once(folder.path, `seeded-${engine}`, () => seed(client, runtime.names, keys))
  becomeReady(runtime.served)

  if (options.watch) {
    const end = watchFolders(sourceFolders, async () => {
      try {
        await synthesize(assembly)
        const next = await createRuntime(runtimeOptions)
        served = Promise.resolve(next.served)
        runtime.host.retire()
        runtime = next
        writeLine('[watch] The changed sources are in use.')
      } catch (error) {
        const problem = error instanceof ClearError ? error.message : describeFault(error)
        writeLine(`[watch] ${problem}\n[watch] Still running what ran before.`)
      }
    })
    resources.defer(end)
  }

  const baseUrl = `http://127.0.0.1:${port}/${runtime.served.api.stageName}`
  writeEnvironmentFile(folder.path, {
    ...runtime.names,
    pid: process.pid,
    startedAt: new Date().toISOString(),
    port,
    baseUrl,
    databaseEndpoint: database.endpoint,
  })
  resources.defer(() => removeEnvironmentFile(folder.path))

  const running = resources.move()
  return {
    port,
    baseUrl,
    databaseEndpoint: database.endpoint,
    names: runtime.names,
    demoKeys: keys,
    stop: async () => {
      await drain(server)
      await running.disposeAsync()
    },
  }
}

interface OpenStorage {
  readonly path: string
  release(): void
}

/** Without a data folder there is still a cloud assembly to keep somewhere for a while. */
const openStorage = async (options: LocalEnvironmentOptions, port: number): Promise<OpenStorage> => {
  if (options.dataFolder !== undefined) {
    return openDataFolder(options.dataFolder, { fresh: options.fresh ?? false, port })
  }
  const path = mkdtempSync(join(tmpdir(), 'pet-adoption-'))
  return { path, release: () => rmSync(path, { recursive: true, force: true }) }
}

/** Does something once in the life of a folder; if it fails half-way, again at the next start. */
const once = async (folder: string, name: string, task: () => Promise<void>): Promise<void> => {
  const marker = join(folder, name)
  if (existsSync(marker)) return
  await task()
  writeFileSync(marker, '')
}

const describeFault = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
