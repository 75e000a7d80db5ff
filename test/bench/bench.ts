/**
 * `npm run bench`: requests per second and latency through the local environment, which runs in a process
 * of its own. A benchmark, not a test: it fails only when an answer is not the one that was measured for.
 */
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { runCommand } from '../../infra/command-line/run-command.ts'
import { UsageError } from '../../infra/command-line/usage-error.ts'
import { type ServedApi, serveApi } from './serve-api.ts'

const usage = `Usage: npm run bench [-- --seconds N --connections N --json]

  --seconds N      how long each scenario runs (default 5)
  --connections N  how many requests are under way at once (default 20)
  --json           print one JSON object instead of the table`

interface Scenario {
  readonly name: string
  readonly status: number
  readonly request: (api: ServedApi) => { path: string; method?: 'GET' | 'POST'; key?: string; body?: string }
}

const scenarios: readonly Scenario[] = [
  { name: 'get', status: 200, request: ({ petId, apiKey }) => ({ path: `/pets/${petId}`, key: apiKey }) },
  { name: 'list, one status', status: 200, request: ({ apiKey }) => ({ path: '/pets?status=available', key: apiKey }) },
  { name: 'list, all', status: 200, request: ({ apiKey }) => ({ path: '/pets', key: apiKey }) },
  {
    name: 'create',
    status: 201,
    request: ({ apiKey }) => ({ path: '/pets', method: 'POST', key: apiKey, body: '{"name":"Bella","categoryId":1}' }),
  },
  { name: 'over the limit', status: 429, request: ({ exhaustedKey }) => ({ path: '/pets', key: exhaustedKey }) },
  { name: 'no key', status: 401, request: () => ({ path: '/pets' }) },
]

interface Measurement {
  readonly scenario: string
  readonly requestsPerSecond: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

const measure = async (api: ServedApi, scenario: Scenario, load: Load): Promise<Measurement> => {
  const { path, method = 'GET', key, body } = scenario.request(api)
  const result = await autocannon({
    url: api.baseUrl + path,
    method,
    connections: load.connections,
    duration: load.seconds,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  })
  const other = Object.entries(result.statusCodeStats ?? {}).filter(([status]) => Number(status) !== scenario.status)
  if (other.length > 0 || result.errors > 0) {
    throw new Error(`${scenario.name}: not every answer was ${scenario.status}: ${JSON.stringify(other)}`)
  }
  const { p50, p90, p99 } = result.latency
  return { scenario: scenario.name, requestsPerSecond: Math.round(result.requests.average), p50, p90, p99 }
}

interface Load {
  readonly seconds: number
  readonly connections: number
}

const readOptions = (words: readonly string[]): (Load & { readonly json: boolean }) | 'help' => {
  const { values } = parse(words)
  if (values.help) return 'help'
  return {
    seconds: readCount(values.seconds, '--seconds'),
    connections: readCount(values.connections, '--connections'),
    json: values.json,
  }
}

const parse = (words: readonly string[]) => {
  try {
    return parseArgs({
      args: [...words],
      options: {
        seconds: { type: 'string', default: '5' },
        connections: { type: 'string', default: '20' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const readCount = (text: string, option: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`${option} takes a whole number from 1 to 9999.`)
  return Number(text)
}

const machine = (): string => {
  const [first] = cpus()
  return `${first?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
}

const table = (measurements: readonly Measurement[]): string => {
  const rows = measurements.map(({ scenario, requestsPerSecond, p50, p90, p99 }) => [
    scenario.padEnd(18),
    ...[requestsPerSecond, p50, p90, p99].map((figure) => String(figure).padStart(9)),
  ])
  return [['scenario'.padEnd(18), ' requests', '   p50 ms', '   p90 ms', '   p99 ms'], ...rows]
    .map((row) => row.join(' '))
    .join('\n')
}

await runCommand(usage, async () => {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') {
    console.log(usage)
    return
  }
  await using api = await serveApi()
  const measurements: Measurement[] = []
  for (const scenario of scenarios) {
    console.error(`measuring: ${scenario.name}`)
    measurements.push(await measure(api, scenario, options))
  }
  console.log(
    options.json
      ? JSON.stringify({ machine: machine(), connections: options.connections, measurements })
      : `\nThe local environment on ${machine()}\nRequests per second and latency, ${options.connections} at once for ${options.seconds} s each\n\n${table(measurements)}`,
  )
})
