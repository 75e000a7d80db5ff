/** `npm run bench`: what the service costs beyond the least that it could. */
import { Option } from '@commander-js/extra-typings'
import { wholeNumber } from '../../infra/command-line/options.ts'
import { runCommand } from '../../infra/command-line/run-command.ts'
import { commandLine, tool } from '../../infra/command-line/tool.ts'
import { authorizerEvent, gatewayEvent, withQuery } from '../events/events.ts'
import type { Figures } from './probe.ts'
import { openWorkbench } from './workbench.ts'

const description =
  'Measures the deployable bundles beside floors: bare handlers that make the same calls to DynamoDB with the same client and bundler (test/bench/floors). In each round both run in processes of their own.'

const readOptions = (line: readonly string[]) =>
  tool('npm run bench --', description)
    .addOption(new Option('--only <part>', 'one part (default: both)').choices(['cold', 'warm'] as const))
    .option('--rounds <n>', 'processes of each', wholeNumber(1, 9_999), 15)
    .parse(line, { from: 'user' })
    .opts()

const figures = {
  cold: { load: 'to load', firstResponse: 'to the first response' },
  warm: { processor: 'processor time', latency: 'latency' },
} as const

const candidates = [
  ['authorizer', 'authorizer', authorizerEvent(), 200],
  ['get', 'get-pet', gatewayEvent('get-pet'), 200],
  ['create', 'create-pet', gatewayEvent('create-pet'), 201],
  ['list, one status', 'list-pets', withQuery(gatewayEvent('list-pets'), 'status=available'), 200],
  ['list, all', 'list-pets', withQuery(gatewayEvent('list-pets'), ''), 200],
] as const

/** The median, and between what the middle half lies. */
const spread = (values: readonly number[], digits = 2): string => {
  const sorted = values.toSorted((one, other) => one - other)
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => sorted[Math.floor(sorted.length * part)]?.toFixed(digits))
  return `${median} (${low} to ${high})`
}

await runCommand(async () => {
  const { only, rounds } = readOptions(commandLine())
  await using bench = await openWorkbench()
  // V8 has compiled the path of a request by the end of the warm-up. After 300 requests it still does, in other threads.
  const sizes = only === 'cold' ? { warmUp: 0, requests: 0 } : { warmUp: 2_000, requests: 400 }
  for (const [request, operation, event, status] of candidates) {
    const measured: Figures[] = []
    const floor: Figures[] = []
    for (let round = 0; round < rounds; round += 1) {
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${request}, round ${round + 1} of ${rounds}\r`)
      // What comes second finds the machine in another state; each does so in turn.
      for (const isFloor of round % 2 === 0 ? [false, true] : [true, false]) {
        const list = isFloor ? floor : measured
        list.push(await bench.measure({ operation, event, status, ...sizes, isFloor }))
      }
    }
    for (const part of only === undefined ? (['cold', 'warm'] as const) : [only]) {
      for (const [figure, name] of Object.entries(figures[part]) as [keyof Figures, string][]) {
        const ratios = measured.map((one, round) => one[figure] / (floor[round]?.[figure] ?? Number.NaN))
        const milliseconds = spread(measured.map((one) => one[figure]))
        console.log(`${request}, ${part}, ${name}: ${milliseconds} ms, ${spread(ratios)} times the floor`)
      }
    }
  }
})
