/**
 * The process in which a bundle is measured: `probe.mjs BUNDLE EVENT STATUS WARM_UP REQUESTS`. It loads the bundle as
 * Lambda does and handles the event again and again. It is bundled too, so that starting it costs no more than Node.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/**
 * In milliseconds: to load the bundle, from the start of the process to the first response, and of a warm request the
 * processor time, on average, and the latency, as the median: a request that others held up says nothing.
 */
export type Figures = Readonly<Record<'load' | 'firstResponse' | 'processor' | 'latency', number>>

const [, , bundle = '', eventFile = '', status = '', warmUp = '0', requests = '0'] = process.argv
const eventText = readFileSync(eventFile, 'utf8')
const loadedFrom = performance.now()
const { handler } = createRequire(bundle)(bundle)
const load = performance.now() - loadedFrom

/** Each request has an event of its own: handlers may change it, as middy's do. */
const events = (count: string) => Array.from({ length: Number(count) }, () => JSON.parse(eventText))

const handle = async (event: unknown): Promise<number> => {
  const startedAt = performance.now()
  const response = await handler(event, { getRemainingTimeInMillis: () => 10_000 })
  const { statusCode = response.policyDocument && 200 } = response
  if (String(statusCode) !== status) throw new Error(`${bundle} returned ${JSON.stringify(response)}`)
  return performance.now() - startedAt
}

await handle(JSON.parse(eventText))
const firstResponse = performance.now()
for (const event of events(warmUp)) await handle(event)
const measured = events(requests)
const before = process.cpuUsage()
const latencies: number[] = []
for (const event of measured) latencies.push(await handle(event))
const { user, system } = process.cpuUsage(before)
const latency = latencies.toSorted((one, other) => one - other)[latencies.length >> 1] ?? 0
const figures: Figures = { load, firstResponse, processor: (user + system) / 1_000 / latencies.length, latency }
console.log(JSON.stringify(figures))
