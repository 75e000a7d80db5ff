/** `npm run bench`: what the service costs beyond the least that it could. */
import { Option } from '@commander-js/extra-typings'
import { createTool, parseWholeNumber, runTool } from '../../infra/command-line/tool.ts'
import { readAuthorizerEvent, readGatewayEvent, replaceQuery } from '../events/events.ts'
import type { Figures } from './probe.ts'
import { openWorkbench } from './workbench.ts'

const description =
  'Measures the deployable bundles beside floors: bare handlers that make the same calls to DynamoDB with the same client and bundler (test/bench/floors). In each round both run in processes of their own.'

const candidates = [
  ['authorizer', 'authorizer', readAuthorizerEvent(), 200],
  ['create', 'create-pet', readGatewayEvent('create-pet'), 201],
  ['list, one status', 'list-pets', replaceQuery(readGatewayEvent('list-pets'), 'status=available'), 200],
  ['list, all', 'list-pets', replaceQuery(readGatewayEvent('list-pets'), ''), 200],
] as const

const figures: readonly (readonly [keyof Figures, string])[] = [
  ['load', 'to load'],
  ['firstResponse', 'to the first response'],
  ['processor', 'processor time of a warm request'],
  ['latency', 'latency of a warm request'],
]

// V8 has compiled the path of a request by the end of the warm-up. After 300 requests it still does, in other threads.
const sizes = { warmUp: 2_000, requests: 400 }

/** The median, and between what the middle half lies. */
const spread = (values: readonly number[]): string => {
  const sorted = values.toSorted((one, other) => one - other)
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => sorted[Math.floor(sorted.length * part)]?.toFixed(2))
  return `${median} (${low} to ${high})`
}

const bench = async (rounds: number, only: string | undefined): Promise<void> => {
  await using workbench = await openWorkbench()
  for (const [request, operation, event, status] of candidates) {
    if (only !== undefined && only !== request) continue
    const pairs: Record<'deployed' | 'floor', Figures>[] = []
    for (let round = 0; round < rounds; round += 1) {
      const measure = (isFloor: boolean) => workbench.measure({ operation, isFloor, event, status, ...sizes })
      // What comes second finds the machine in another state; each does so in turn.
      const isFloorFirst = round % 2 === 1
      const [first, second] = [await measure(isFloorFirst), await measure(!isFloorFirst)]
      pairs.push(isFloorFirst ? { deployed: second, floor: first } : { deployed: first, floor: second })
    }
    for (const [figure, name] of figures) {
      const milliseconds = spread(pairs.map(({ deployed }) => deployed[figure]))
      const ratios = spread(pairs.map(({ deployed, floor }) => deployed[figure] / floor[figure]))
      console.log(`${request}, ${name}: ${milliseconds} ms, ${ratios} times the floor`)
    }
  }
}

await runTool(
  createTool('npm run bench --', description)
    .option('--rounds <n>', 'processes of each', parseWholeNumber(1, 9_999), 15)
    .addOption(new Option('--only <request>', 'one of them').choices(candidates.map(([request]) => request)))
    .action(({ rounds, only }) => bench(rounds, only)),
)
