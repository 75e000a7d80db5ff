import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { buildSync } from 'esbuild'
import { bundleModule } from '../../infra/bundling/function-bundle.ts'
import { localStage } from '../../infra/environments.ts'
import { createTables } from '../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../infra/local/database/dynalite.ts'
import { runtimeEnvironment } from '../../infra/local/lambda/runtime-environment.ts'
import { functionOf } from '../../infra/local/operation-function.ts'
import { addSamplePets } from '../../infra/local/samples/sample-pets.ts'
import { readEnvironmentTemplate, type Table } from '../../infra/local/template/environment-template.ts'
import { administer } from '../../infra/operations/keys/administer.ts'
import { seedPets } from '../../infra/operations/seed/seed-pets.ts'
import { connect } from '../../infra/operations/target/local-database.ts'
import type { ResourceNames } from '../../infra/operations/target/resource-names.ts'
import { synthesize } from '../../infra/synthesis/synthesize.ts'
import { formatApiKey } from '../../shared/api-keys/api-key.ts'
import { recordedApiKey } from '../events/events.ts'
import type { Candidate } from './candidates.ts'
import type { ProbeInput } from './probe.ts'

/** How a process is started that responds with a bundle. */
export interface Launch {
  readonly arguments: readonly [probe: string, inputFile: string]
  /** As Lambda gives it, and nothing else. */
  readonly environment: Readonly<Record<string, string>>
}

/** The bundles as they are deployed, the floors, and a database with pets and an API key for both. */
export interface Workbench extends AsyncDisposable {
  readonly databaseEndpoint: string
  /** As the template describes it. */
  readonly petsTable: Table
  /** @param endpoint of the database or of what stands before it */
  launchFunction(candidate: Candidate, endpoint?: string): Promise<Launch>
  launchFloor(candidate: Candidate): Promise<Launch>
}

export const openWorkbench = async (): Promise<Workbench> => {
  await using resources = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'pet-adoption-bench-'))
  resources.defer(() => rm(folder, { recursive: true, force: true }))
  const database = await startDynalite()
  resources.defer(database.close)

  const template = readEnvironmentTemplate(await synthesize(), localStage)
  const { names } = template
  const petsTable = template.tables.find(({ name }) => name === names.tables.pets)
  if (petsTable === undefined) throw new Error(`The template has no table ${names.tables.pets}.`)
  const client = connect(database.endpoint)
  resources.defer(() => client.destroy())
  await createTables(client, database, template.tables)
  await fill(client, names)

  const probe = join(folder, 'probe.js')
  buildSync({ entryPoints: ['test/bench/probe.ts'], bundle: true, platform: 'node', format: 'cjs', outfile: probe })
  let launches = 0
  const launch = async (bundleFolder: string, candidate: Candidate, endpoint: string): Promise<Launch> => {
    launches += 1
    const inputFile = join(folder, `input-${launches}.json`)
    const bundle = join(bundleFolder, 'index.js')
    const { event, status } = candidate
    const input: ProbeInput = { bundle, event: JSON.stringify(event), ...(status === undefined ? {} : { status }) }
    await writeFile(inputFile, JSON.stringify(input))
    return {
      arguments: [probe, inputFile],
      environment: runtimeEnvironment(functionOf(template, candidate.name), endpoint),
    }
  }
  const running = resources.move()
  return {
    databaseEndpoint: database.endpoint,
    petsTable,
    launchFunction: (candidate, endpoint = database.endpoint) =>
      launch(functionOf(template, candidate.name).folder, candidate, endpoint),
    launchFloor: (candidate) => {
      const floor = join(folder, `floor-${candidate.name}`)
      bundleModule(`test/bench/floors/${candidate.name}.ts`, floor)
      return launch(floor, candidate, database.endpoint)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** A day of this key is used up by its first request. */
export const exhaustedApiKey = formatApiKey('pet_test_', '1'.repeat(32))

/** So many that a list of 20 is full in each status. */
const seededPets = 500

const fill = async (client: ReturnType<typeof connect>, names: ResourceNames): Promise<void> => {
  await addSamplePets(client, names)
  await seedPets({ database: DynamoDBDocumentClient.from(client), table: names.tables.pets, count: seededPets })
  const perMinute = 1_000_000_000
  for (const [apiKey, perDay] of [[recordedApiKey, 1_000_000_000] as const, [exhaustedApiKey, 1] as const]) {
    const order = { owner: 'benchmark', plan: 'enterprise', allowance: { perMinute, perDay } } as const
    const place = { environment: 'local', database: DynamoDBDocumentClient.from(client), tables: names.tables } as const
    await administer(place).issueKnown(apiKey, order)
  }
}
