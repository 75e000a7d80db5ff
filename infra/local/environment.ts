import { join } from 'node:path'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { printableLines } from '../command-line/printable.ts'
import { UserError } from '../command-line/user-error.ts'
import { environments, localStage } from '../environments.ts'
import { removeEnvironmentFile, writeEnvironmentFile } from '../operations/target/environment-file.ts'
import { connect } from '../operations/target/local-database.ts'
import type { ResourceNames } from '../operations/target/resource-names.ts'
import { sourceFolders, synthesize } from '../synthesis/synthesize.ts'
import type { Engine } from './database/database.ts'
import { startDatabase } from './database/start-database.ts'
import { describeFault, openFront } from './front.ts'
import type { Served } from './gateway/server.ts'
import { createUsage } from './gateway/usage.ts'
import { referenceSite } from './reference-site.ts'
import { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts'
import { type DemoKey, demoKeys } from './samples/demo-keys.ts'
import { seed } from './samples/seed.ts'
import { onceInFolder, openStorage, type Storage } from './storage.ts'
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
  /** The API reference. */
  readonly referenceUrl: string
  readonly databaseEndpoint: string
  readonly names: ResourceNames
  readonly demoKeys: readonly DemoKey[]
  /** Answers the requests under way, then ends all that belongs to the environment. */
  stop(): Promise<void>
}

/**
 * Starts the whole service on this machine, in this process.
 *
 * @throws UserError when something stands in the way that the caller can change. Nothing is left
 * running then.
 */
export const startLocalEnvironment = async (options: LocalEnvironmentOptions): Promise<LocalEnvironment> => {
  const {
    clock = systemClock,
    writeLine = (line: string) => console.error(printableLines(line)),
    engine = 'dynalite',
  } = options
  await using resources = new AsyncDisposableStack()

  // First of all, so that a port that is taken is told at once.
  const front = await openFront({ port: options.port, clock, writeLine })
  resources.defer(front.close)
  const { dataFolder, fresh = false } = options
  const storage = await openStorage({ dataFolder, fresh, port: front.port })
  resources.defer(storage.release)

  const foundation = await openFoundation(storage, engine, options.assembly, resources)
  const runtimeOptions: RuntimeOptions = { ...foundation, usage: createUsage(clock), writeLine }
  const current = { runtime: await createRuntime(runtimeOptions) }
  resources.defer(() => current.runtime.host.close())
  const { names, served } = current.runtime
  const keys = demoKeys(environments[localStage].apiKeyPrefix)
  // Each engine has tables of its own.
  await onceInFolder(storage.folder, `seeded-${engine}`, () => seed(foundation.client, names, keys))
  const { port } = front
  const origin = `http://127.0.0.1:${port}`
  const baseUrl = `${origin}/${served.api.stageName}`
  const serve = (next: Served): void =>
    front.serve({ ...next, site: referenceSite({ baseUrl, environment: 'local', demoKeys: keys }) })
  serve(served)
  if (options.watch) resources.defer(takeUpChanges(serve, current, runtimeOptions))

  const databaseEndpoint = foundation.database.endpoint
  const startedAt = new Date().toISOString()
  writeEnvironmentFile(storage.folder, { ...names, pid: process.pid, startedAt, port, baseUrl, databaseEndpoint })
  resources.defer(() => removeEnvironmentFile(storage.folder))

  const running = resources.move()
  return {
    port,
    baseUrl,
    referenceUrl: `${origin}/`,
    databaseEndpoint,
    names,
    demoKeys: keys,
    stop: async () => {
      await front.close()
      await running.disposeAsync()
    },
  }
}

type Foundation = Pick<RuntimeOptions, 'assembly' | 'database' | 'client'>

/** The database and the templates, side by side: each takes its time. */
const openFoundation = async (
  storage: Storage,
  engine: Engine,
  givenAssembly: string | undefined,
  resources: AsyncDisposableStack,
): Promise<Foundation> => {
  const assembly = givenAssembly ?? join(storage.folder, 'cdk.out')
  const starting = startDatabase(engine, storage.databaseFolder)
  resources.defer(async () => {
    const [started] = await Promise.allSettled([starting])
    if (started.status === 'fulfilled') await started.value.close()
  })
  const unneeded = new AbortController()
  resources.defer(() => unneeded.abort())
  const [database] = await Promise.all([starting, givenAssembly ?? synthesize(assembly, { signal: unneeded.signal })])
  const client = connect(database.endpoint)
  resources.defer(() => client.destroy())
  return { assembly, database, client }
}

/** @returns a function that ends it */
const takeUpChanges = (
  serve: (next: Served) => void,
  current: { runtime: Runtime },
  options: RuntimeOptions,
): (() => void) =>
  watchFolders(sourceFolders, async () => {
    try {
      await synthesize(options.assembly)
      const next = await createRuntime(options)
      serve(next.served)
      current.runtime.host.retire()
      current.runtime = next
      options.writeLine('[watch] The changed sources are in use.')
    } catch (error) {
      const problem = error instanceof UserError ? error.message : describeFault(error)
      options.writeLine(`[watch] ${problem}\n[watch] Still running what ran before.`)
    }
  })
