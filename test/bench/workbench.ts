import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { buildSync } from 'esbuild'
import { connectToLocalDatabase } from '../../infra/commands/environment/local-database.ts'
import { createKey } from '../../infra/commands/keys/issue-key.ts'
import { bundleModule } from '../../infra/constructs/functions/function-bundle.ts'
import { localStage } from '../../infra/environments.ts'
import { createRuntimeVariables } from '../../infra/local/lambda/function-instance.ts'
import { synthesize } from '../../infra/local/synthesis/synthesize.ts'
import { readEnvironmentTemplate } from '../../infra/local/template/environment-template.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import { toDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { petStatuses } from '../../shared/pets/pet.ts'
import { PetTable } from '../../shared/pets/pet-table.ts'
import { recordedApiKey } from '../events/events.ts'
import { openLocalEnvironment, sharedAssembly } from '../fixtures/environment/local-environment.ts'
import type { Figures, Work } from './probe.ts'

/** Number of pets. With a third of them in each status, a page of 20 is always full. */
const petCount = 100n

interface Measurement extends Work {
  /** Name of a folder of functions/. */
  readonly operation: string
  /** If true, measures the module of this name in test/bench/floors/ in place of the function. */
  readonly isFloor?: boolean
}

/**
 * Opens a local environment with pets, and with the API key of the recorded events, to measure functions in it.
 *
 * @example
 *
 *     await using workbench = await openWorkbench()
 *     const event = readGatewayEvent('get-pet')
 *
 *     const figures = await workbench.measure({ operation: 'get-pet', event, status: 200, warmUp: 20, requests: 10 })
 */
export const openWorkbench = async () => {
  await synthesize()
  const { databaseEndpoint, dataFolder, names, stop } = await openLocalEnvironment()
  // Limits that no measurement reaches.
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const client = toDocumentClient(connectToLocalDatabase(databaseEndpoint))
  const { record } = createKey('pet_test_', Date.now(), {
    owner: 'bench',
    plan: 'enterprise',
    scope: 'read-write',
    limits,
  })
  const item = { ...record, keyHash: hashApiKey(recordedApiKey) }
  await client.send(new PutCommand({ TableName: names.tables.apiKeys, Item: item }))
  const pets = new PetTable(client, names.tables.pets)
  for (let id = 1n; id <= petCount; id += 1n) {
    const status = petStatuses[Number(id) % petStatuses.length] ?? 'available'
    const attemptId = 'bench'
    await pets.put({ id, name: 'Bella', categoryId: 1n, status }, attemptId)
  }

  const { functions } = readEnvironmentTemplate(sharedAssembly, localStage)
  const probe = join(dataFolder, 'probe.mjs')
  buildSync({
    entryPoints: ['test/bench/probe.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: probe,
  })

  /** Bundles a floor, unless its bundle exists. @returns the folder of the bundle */
  const bundleFloor = (operation: string): string => {
    const folder = join(dataFolder, operation)
    if (!existsSync(folder)) bundleModule(`test/bench/floors/${operation}.ts`, folder)
    return folder
  }

  /** Measures a bundle in a process of its own. */
  const measure = async ({ operation, isFloor = false, ...work }: Measurement): Promise<Figures> => {
    const deployed = functions.get(operation)
    if (deployed === undefined) throw new Error(`There is no function ${operation}.`)

    const bundleFolder = isFloor ? bundleFloor(operation) : deployed.folder
    const job = join(dataFolder, 'job.json')
    writeFileSync(job, JSON.stringify({ ...work, bundle: join(bundleFolder, 'index.js') }))

    // The process has only the environment variables that the function has on Lambda.
    const variables = createRuntimeVariables(deployed, databaseEndpoint)
    const { stdout } = await promisify(execFile)(process.execPath, [probe, job], { env: variables })
    return JSON.parse(stdout)
  }
  return { measure, [Symbol.asyncDispose]: stop }
}

export type Workbench = Awaited<ReturnType<typeof openWorkbench>>
