import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createTables } from '../../../infra/local/database/create-tables.ts'
import { startDynalite } from '../../../infra/local/database/dynalite.ts'
import { seedPets } from '../../../infra/operations/seed/seed-pets.ts'
import { seededPetId } from '../../../infra/operations/seed/seeded-pet.ts'
import { connect } from '../../../infra/operations/target/local-database.ts'
import { writeCursor } from '../../../shared/pets/cursor.ts'
import { gatewayEvent, withQuery } from '../../events/events.ts'
import { type CallMeter, openCallMeter } from '../call-meter.ts'
import type { Candidate } from '../candidates.ts'
import { warmProcess } from '../processes.ts'
import type { Section } from '../report/section.ts'
import { type Spread, spread } from '../report/statistics.ts'
import type { PartContext } from './part.ts'

const warmUpRequests = 100
const requestsInBlock = 20

/** Whether get and list take longer, or more capacity, where there are more pets. */
export const measureScale = async (context: PartContext): Promise<readonly Section[]> => {
  await using resources = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'pet-adoption-scale-'))
  resources.defer(() => rm(folder, { recursive: true }))
  const { petsTable } = await context.workbench()
  const tables: LargeTable[] = []
  for (const pets of context.sizes) {
    context.progress(`writing ${pets} pets`)
    const database = await startDynalite(join(folder, `${pets}`))
    resources.defer(database.close)
    const client = connect(database.endpoint)
    resources.defer(() => client.destroy())
    await createTables(client, database, [petsTable])
    await seedPets({ database: DynamoDBDocumentClient.from(client), table: petsTable.name, count: pets })
    tables.push({ pets, endpoint: database.endpoint, meter: resources.use(await openCallMeter(database.endpoint)) })
  }
  const rows = []
  for (const scenario of scenarios) rows.push(...(await measure(scenario, tables, context)))
  return [
    {
      title: `Tables of different sizes: latency and capacity units of a request (median of ${context.rounds} blocks of ${requestsInBlock}, middle half)`,
      columns: { request: 'request', pets: 'pets', latency: 'latency, ms', ratio: 'to the smallest', units: 'units' },
      rows,
    },
  ]
}

interface LargeTable {
  readonly pets: number
  readonly endpoint: string
  readonly meter: CallMeter
}

type Scenario = (pets: number) => Candidate

const list = (request: string, query: string): Candidate => ({
  request,
  name: 'list-pets',
  event: withQuery(gatewayEvent('list-pets'), query),
})

/** After nine tenths of the pets. */
const deepCursor = (pets: number): string => `cursor=${writeCursor(seededPetId(Math.floor(pets / 10)))}`

const get: Scenario = (pets) => ({
  request: 'get',
  name: 'get-pet',
  event: gatewayEvent('get-pet', { pathParameters: { petId: `${seededPetId(Math.floor(pets / 2))}` } }),
})

const scenarios: readonly Scenario[] = [
  get,
  () => list('list, first page', ''),
  (pets) => list('list, deep page', deepCursor(pets)),
  () => list('list, one status, first page', 'status=available'),
  (pets) => list('list, one status, deep page', `status=available&${deepCursor(pets)}`),
]

const measure = async (scenario: Scenario, tables: readonly LargeTable[], context: PartContext) => {
  await using processes = new AsyncDisposableStack()
  const bench = await context.workbench()
  const compared = []
  for (const { pets, endpoint, meter } of tables) {
    const candidate = scenario(pets)
    meter.take()
    {
      await using metered = await warmProcess(await bench.launchFunction(candidate, meter.endpoint))
      await metered.send(1)
    }
    // Its first request and the one after it make the same calls.
    const units = meter.take().capacityUnits / 2
    const running = processes.use(await warmProcess(await bench.launchFunction(candidate, endpoint)))
    await running.send(warmUpRequests)
    const latencies: number[] = []
    compared.push({ request: candidate.request, pets, units, running, latencies })
  }
  for (let round = 0; round < context.rounds; round += 1) {
    context.progress(`${compared[0]?.request}, block ${round + 1} of ${context.rounds}`)
    // Whatever disturbs the machine meets each size in turn.
    for (const { running, latencies } of round % 2 === 0 ? compared : compared.toReversed()) {
      latencies.push((await running.send(requestsInBlock)).latency)
    }
  }
  const smallest = compared[0]?.latencies ?? []
  return compared.map(({ request, pets, units, latencies }) => {
    const ratio: Spread = spread(latencies.map((latency, round) => latency / (smallest[round] ?? latency)))
    return { request, pets, latency: spread(latencies), ratio, units }
  })
}
