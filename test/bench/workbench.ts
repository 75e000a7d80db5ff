import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { buildSync } from 'esbuild'
import { bundleModule } from '../../infra/bundling/function-bundle.ts'
import { localStage } from '../../infra/environments.ts'
import { createTables } from '../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../infra/local/database/dynalite.ts'
import { runtimeEnvironment } from '../../infra/local/lambda/function-instance.ts'
import { readEnvironmentTemplate } from '../../infra/local/template/environment-template.ts'
import { administer } from '../../infra/operations/keys/administration.ts'
import { connect } from '../../infra/operations/target/local-database.ts'
import { synthesize } from '../../infra/synthesis/synthesize.ts'
import { petStatuses } from '../../shared/pets/pet.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { recordedApiKey } from '../events/events.ts'
import type { Figures } from './probe.ts'

/** What a fresh process handles: the event once, some times to warm up, and then as often as is measured. */
interface Work {
  /** A folder of `functions/`, and with `isFloor` the module of `test/bench/floors/` of that name. */
  readonly operation: string
  readonly isFloor?: boolean
  readonly event: object
  readonly status: number
  readonly warmUp: number
  readonly requests: number
}

/** The bundles as they are deployed, the floors, and a database with pets and the key of the recorded events. */
export const openWorkbench = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-bench-'))
  const database = await startDynalite()
  const template = readEnvironmentTemplate(await synthesize(), localStage)
  const { tables } = template.names
  await createTables(connect(database.endpoint), template.tables)
  const documents = DynamoDBDocumentClient.from(connect(database.endpoint))
  const allowance = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const keys = administer({ environment: 'local', database: documents, tables })
  await keys.issueKnown(recordedApiKey, { owner: 'bench', plan: 'enterprise', allowance })
  // So many that a page of 20 is full in each status. The last is the one of the recorded events.
  for (let id = 150_739n - 99n; id <= 150_739n; id += 1n) {
    const status = petStatuses[Number(id) % petStatuses.length] ?? 'available'
    await new PetStore(documents, tables.pets).put({ id, name: 'Bella', categoryId: 1n, status }, 'bench')
  }
  const probe = join(folder, 'probe.mjs')
  buildSync({ entryPoints: ['test/bench/probe.ts'], bundle: true, platform: 'node', format: 'esm', outfile: probe })

  const measure = async ({ operation, isFloor, event, ...sizes }: Work): Promise<Figures> => {
    const deployed = template.functions.get(operation)
    if (deployed === undefined) throw new Error(`There is no function ${operation}.`)
    const built = isFloor ? join(folder, operation) : deployed.folder
    if (!existsSync(built)) bundleModule(`test/bench/floors/${operation}.ts`, built)
    const job = join(folder, 'job.json')
    writeFileSync(job, JSON.stringify({ ...sizes, bundle: join(built, 'index.js'), event }))
    // As on Lambda: these environment variables, and no others.
    const env = runtimeEnvironment(deployed, database.endpoint)
    return JSON.parse((await promisify(execFile)(process.execPath, [probe, job], { env })).stdout)
  }
  const close = async (): Promise<void> => {
    await database.close()
    rmSync(folder, { recursive: true })
  }
  return { measure, [Symbol.asyncDispose]: close }
}
