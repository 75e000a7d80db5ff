import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { buildSync } from 'esbuild'
import { bundleModule } from '../../infra/bundling/function-bundle.ts'
import { localStage } from '../../infra/environments.ts'
import { createRuntimeVariables } from '../../infra/local/lambda/function-instance.ts'
import { readEnvironmentTemplate } from '../../infra/local/template/environment-template.ts'
import { connectToLocalDatabase } from '../../infra/operations/environment/local-database.ts'
import { synthesize } from '../../infra/synthesis/synthesize.ts'
import { petStatuses } from '../../shared/pets/pet.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { recordedApiKey } from '../events/events.ts'
import { openLocalEnvironment, sharedAssembly } from '../fixtures/local-environment.ts'
import type { Figures, Work } from './probe.ts'

type Measured = Work & { readonly operation: string; readonly isFloor?: boolean }

/** The bundles as they are deployed, the floors, and a database with pets and the key of the recorded events. */
export const openWorkbench = async () => {
  await synthesize()
  const { databaseEndpoint, dataFolder, keys, names, stop } = await openLocalEnvironment()
  const allowance = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  await keys.issueKnown(recordedApiKey, { owner: 'bench', plan: 'enterprise', allowance })
  const pets = new PetStore(DynamoDBDocumentClient.from(connectToLocalDatabase(databaseEndpoint)), names.tables.pets)
  // So many that a page of 20 is full in each status.
  for (let id = 1n; id <= 100n; id += 1n) {
    const status = petStatuses[Number(id) % petStatuses.length] ?? 'available'
    await pets.put({ id, name: 'Bella', categoryId: 1n, status }, 'bench')
  }
  const { functions } = readEnvironmentTemplate(sharedAssembly, localStage)
  const probe = join(dataFolder, 'probe.mjs')
  buildSync({ entryPoints: ['test/bench/probe.ts'], bundle: true, platform: 'node', format: 'esm', outfile: probe })

  /** Has a fresh process do the work with a folder of `functions/`, or with the module of `test/bench/floors/` of that name. */
  const measure = async ({ operation, isFloor = false, ...work }: Measured): Promise<Figures> => {
    const deployed = functions.get(operation)
    if (deployed === undefined) throw new Error(`There is no function ${operation}.`)
    const built = isFloor ? join(dataFolder, operation) : deployed.folder
    if (!existsSync(built)) bundleModule(`test/bench/floors/${operation}.ts`, built)
    const job = join(dataFolder, 'job.json')
    writeFileSync(job, JSON.stringify({ ...work, bundle: join(built, 'index.js') }))
    // As on Lambda: these environment variables, and no others.
    const env = createRuntimeVariables(deployed, databaseEndpoint)
    return JSON.parse((await promisify(execFile)(process.execPath, [probe, job], { env })).stdout)
  }
  return { measure, [Symbol.asyncDispose]: stop }
}
