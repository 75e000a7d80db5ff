/**
 * The process in which a bundle is measured: `probe.mjs FILE`. It loads the bundle as Lambda does and handles the event again
 * and again. It is bundled too, so that starting it costs no more than Node.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** What it handles: the event once, some times to warm up, and then as often as is measured. */
export interface Work {
  readonly event: object
  readonly status: number
  readonly warmUp: number
  readonly requests: number
}

/**
 * In milliseconds: to load the bundle, from the start of the process to the first response, and of a warm request the
 * processor time, on average, and the latency, as the median: a request that others held up says nothing.
 */
export type Figures = Readonly<Record<'load' | 'firstResponse' | 'processor' | 'latency', number>>

type Job = Work & { readonly bundle: string }

const { bundle, event, status, warmUp, requests }: Job = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const loadedFrom = performance.now()
const { handler } = createRequire(bundle)(bundle)
const load = performance.now() - loadedFrom

const handle = async (own: unknown): Promise<number> => {
  const startedAt = performance.now()
  const response = await handler(own, { getRemainingTimeInMillis: () => 10_000 })
  const { statusCode = response.policyDocument && 200 } = response
  if (statusCode !== status) throw new Error(`${bundle} returned ${JSON.stringify(response)}`)
  return performance.now() - startedAt
}

/** Each request has an event of its own, made before: handlers may change it, as middy's do. */
const events = (count: number): unknown[] => Array.from({ length: count }, () => structuredClone(event))

await handle(structuredClone(event))
const firstResponse = performance.now()
for (const own of events(warmUp)) await handle(own)
const measured = events(requests)
const before = process.cpuUsage()
const latencies: number[] = []
for (const own of measured) latencies.push(await handle(own))
const { user, system } = process.cpuUsage(before)
const latency = latencies.toSorted((one, other) => one - other)[requests / 2] ?? 0
const figures: Figures = { load, firstResponse, processor: (user + system) / 1_000 / requests, latency }
console.log(JSON.stringify(figures))
