import autocannon from 'autocannon'
import type { Section } from '../report/section.ts'
import { type ServedApi, serveApi } from '../serve-api.ts'
import type { PartContext } from './part.ts'

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

/** Requests per second and latency through the local environment, and how exactly it holds a limit meanwhile. */
export const measureThroughput = async (context: PartContext): Promise<readonly Section[]> => {
  await using api = await serveApi()
  const rows = []
  for (const scenario of scenarios) {
    context.progress(`requests through the local environment: ${scenario.name}`)
    rows.push(await measure(api, scenario, context))
  }
  return [
    {
      title: `The local environment: requests per second and latency, ${context.connections} at once for ${context.seconds} s each`,
      columns: { request: 'request', perSecond: 'requests/s', p50: 'p50 ms', p90: 'p90 ms', p99: 'p99 ms' },
      rows,
    },
    await measureLimit(api, context),
  ]
}

const measure = async (api: ServedApi, scenario: Scenario, { connections, seconds }: PartContext) => {
  const { path, method = 'GET', key, body } = scenario.request(api)
  const load = {
    url: api.baseUrl + path,
    method,
    connections,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  }
  // The first requests wait for function instances to start.
  await autocannon({ ...load, amount: connections })
  const result = await autocannon({ ...load, duration: seconds })
  const other = Object.entries(result.statusCodeStats ?? {}).filter(([status]) => Number(status) !== scenario.status)
  if (other.length > 0 || result.errors > 0) {
    throw new Error(`${scenario.name}: not every response was ${scenario.status}: ${JSON.stringify(other)}`)
  }
  const { p50, p90, p99 } = result.latency
  return { request: scenario.name, perSecond: Math.round(result.requests.average), p50, p90, p99 }
}

/** A day's limit, which no minute's end renews. */
const limit = 300
const sent = 3 * limit

const measureLimit = async (api: ServedApi, { connections, progress }: PartContext): Promise<Section> => {
  progress('a limit under load')
  const key = await api.issueKey({ perMinute: 1_000_000_000, perDay: limit })
  const result = await autocannon({
    url: `${api.baseUrl}/pets?limit=1`,
    connections,
    amount: sent,
    headers: { authorization: `Bearer ${key}` },
  })
  const admitted = result['2xx']
  if (admitted !== limit) throw new Error(`Of ${sent} requests ${admitted} were let in; the limit is ${limit}.`)
  const refused = result.statusCodeStats?.['429']?.count ?? 0
  if (refused !== sent - limit) throw new Error(`Of ${sent - limit} requests over the limit ${refused} got 429.`)
  return {
    title: `A limit under load: ${connections} requests at once, with a key whose day has room for ${limit}`,
    columns: { sent: 'sent', admitted: 'let in', refused: 'refused' },
    rows: [{ sent, admitted, refused }],
  }
}
