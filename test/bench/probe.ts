/**
 * The process in which a bundle is measured: `node probe.mjs JOB_FILE`. It loads the bundle as Lambda does, and handles
 * an event many times. The probe is bundled too, so that it adds little to the start of Node.js.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The requests that a bundle handles. After the first one, some warm it up, then some are measured. */
export interface Work {
  readonly event: object
  /** The status that each response must have. */
  readonly status: number
  /** Number of requests that warm the bundle up. */
  readonly warmUp: number
  /** Number of requests that are measured. */
  readonly requests: number
}

/** Times in milliseconds. */
export interface Figures {
  /** Time to load the bundle. */
  readonly load: number
  /** Time from the start of the process to the first response. */
  readonly firstResponse: number
  /** Average processor time of a warm request. */
  readonly processor: number
  /** Median latency of a warm request. A few requests that other processes hold up do not change the median. */
  readonly latency: number
}

interface Job extends Work {
  /** Path of the bundle. */
  readonly bundle: string
}

const { bundle, event, status, warmUp, requests }: Job = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))

const loadStartedAt = performance.now()
const { handler } = createRequire(bundle)(bundle)
const load = performance.now() - loadStartedAt

/** Handles one request. @returns its latency */
const handleRequest = async (requestEvent: unknown): Promise<number> => {
  const startedAt = performance.now()
  const response = await handler(requestEvent, { getRemainingTimeInMillis: () => 10_000 })
  // The authorizer returns a policy, which has no status.
  const returnedStatus = response.policyDocument === undefined ? response.statusCode : 200
  if (returnedStatus !== status) throw new Error(`${bundle} returned ${JSON.stringify(response)}`)
  return performance.now() - startedAt
}

/** Copies the event for each request before the requests are measured. Handlers such as middy's may change it. */
const copyEvents = (count: number): unknown[] => Array.from({ length: count }, () => structuredClone(event))

await handleRequest(structuredClone(event))
const firstResponse = performance.now()

for (const requestEvent of copyEvents(warmUp)) await handleRequest(requestEvent)

const measuredEvents = copyEvents(requests)
const usageBefore = process.cpuUsage()
const latencies: number[] = []
for (const requestEvent of measuredEvents) latencies.push(await handleRequest(requestEvent))
const { user, system } = process.cpuUsage(usageBefore)

const processor = (user + system) / 1_000 / requests
const latency = latencies.toSorted((one, other) => one - other)[requests / 2] ?? 0
const figures: Figures = { load, firstResponse, processor, latency }
console.log(JSON.stringify(figures))
