/** `npm run bench`: compares the time of the service with the least time that its calls to DynamoDB need. */
import { Option } from '@commander-js/extra-typings'
import { createCommand, createWholeNumberParser, runCommandLine } from '../../infra/command-line/command.ts'
import { readAuthorizerEvent, readGatewayEvent, replaceQuery } from '../events/events.ts'
import type { Figures } from './probe.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

const description =
  'Measures the deployable bundles beside floors: bare handlers that make the same calls to DynamoDB with the same ' +
  'client and bundler (test/bench/floors). In each round both run in processes of their own.'

/** The requests that are measured. Each operation is a folder of functions/ and a file of test/bench/floors/. */
const candidates = [
  {
    name: 'authorizer',
    operation: 'authorizer',
    event: readAuthorizerEvent(),
    status: 200,
  },
  {
    name: 'create',
    operation: 'create-pet',
    event: readGatewayEvent('create-pet'),
    status: 201,
  },
  {
    name: 'list, one status',
    operation: 'list-pets',
    event: replaceQuery(readGatewayEvent('list-pets'), 'status=available'),
    status: 200,
  },
  {
    name: 'list, all',
    operation: 'list-pets',
    event: replaceQuery(readGatewayEvent('list-pets'), ''),
    status: 200,
  },
]

/** Names of the figures in the output. */
const figureNames: Readonly<Record<keyof Figures, string>> = {
  load: 'to load',
  firstResponse: 'to the first response',
  processor: 'processor time of a warm request',
  latency: 'latency of a warm request',
}
const figures: readonly (keyof Figures)[] = ['load', 'firstResponse', 'processor', 'latency']

/** Numbers of requests. After 300 requests V8 still compiles in other threads, after 2,000 it has finished. */
const requestCounts = { warmUp: 2_000, requests: 400 }

/** Figures of the function and of its floor in one round. */
interface Round {
  readonly deployed: Figures
  readonly floor: Figures
}

/** Formats the median, and in brackets the range of the middle half. */
const formatSpread = (values: readonly number[]): string => {
  const sorted = values.toSorted((one, other) => one - other)
  const formatQuantile = (fraction: number) => sorted[Math.floor(sorted.length * fraction)]?.toFixed(2)
  return `${formatQuantile(0.5)} (${formatQuantile(0.25)} to ${formatQuantile(0.75)})`
}

const printFigures = (name: string, rounds: readonly Round[]): void => {
  for (const figure of figures) {
    const milliseconds = formatSpread(rounds.map(({ deployed }) => deployed[figure]))
    const ratios = formatSpread(rounds.map(({ deployed, floor }) => deployed[figure] / floor[figure]))
    console.log(`${name}, ${figureNames[figure]}: ${milliseconds} ms, ${ratios} times the floor`)
  }
}

/** The name in the output of the body that takes the most time to read. There is no floor to compare it with. */
const hostile = 'hostile'

/** Prints what a body of 8,000 numbers costs, the most that 16 KB can have: V8 calls a reviver for each of them. */
const measureHostileBody = async (workbench: Workbench): Promise<void> => {
  const measure = async (body: string, status: number): Promise<number> => {
    const event = readGatewayEvent('create-pet', { body })
    const { processor } = await workbench.measure({
      operation: 'create-pet',
      event,
      status,
      warmUp: 500,
      requests: 100,
    })
    return processor
  }
  const invalid = await measure(`{"name":[0${',1'.repeat(8_000)}],"categoryId":1}`, 400)
  const valid = await measure('{"name":"Bella","categoryId":1}', 201)
  console.log(`${hostile}: ${(invalid / valid).toFixed(1)} times the processor time of a valid creation`)
}

type Candidate = (typeof candidates)[number]

/**
 * Measures a function and its floor in rounds. Each of them is the first in every other round, because the second of
 * two processes finds the machine in another state.
 */
const measureRounds = async (workbench: Workbench, candidate: Candidate, count: number): Promise<readonly Round[]> => {
  const { operation, event, status } = candidate
  const request = { operation, event, status, ...requestCounts }
  const measureDeployed = () => workbench.measure({ ...request, isFloor: false })
  const measureFloor = () => workbench.measure({ ...request, isFloor: true })
  const rounds: Round[] = []
  for (let round = 0; round < count; round += 1) {
    if (round % 2 === 0) {
      const deployed = await measureDeployed()
      const floor = await measureFloor()
      rounds.push({ deployed, floor })
    } else {
      const floor = await measureFloor()
      const deployed = await measureDeployed()
      rounds.push({ deployed, floor })
    }
  }
  return rounds
}

const runBench = async (roundCount: number, only: string | undefined): Promise<void> => {
  await using workbench = await openWorkbench()
  for (const candidate of candidates) {
    if (only !== undefined && only !== candidate.name) continue
    printFigures(candidate.name, await measureRounds(workbench, candidate, roundCount))
  }
  if (only === undefined || only === hostile) await measureHostileBody(workbench)
}

await runCommandLine(
  createCommand('npm run bench --', description)
    .option('--rounds <n>', 'processes of each', createWholeNumberParser(1, 9_999), 15)
    .addOption(new Option('--only <request>', 'one of them').choices([...candidates.map(({ name }) => name), hostile]))
    .action(({ rounds, only }) => runBench(rounds, only)),
)
