/**
 * The process in which a bundle is measured: `node probe.mjs JOB_FILE`. It loads the bundle as Lambda does, and handles
 * an event many times. The probe is bundled too, so that it adds little to the start of Node.js.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The requests that a bundle handles: the first, those that warm it up, and those that are measured. */
export interface Work {
  readonly event: object
  /** The status that each response must have. */
  readonly status: number
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
  /** Median latency of a warm request. A request that other processes held up does not change it. */
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
  // The response of the authorizer has a policy, and no status.
  const { statusCode = response.policyDocument && 200 } = response
  if (statusCode !== status) throw new Error(`${bundle} returned ${JSON.stringify(response)}`)
  return performance.now() - startedAt
}

/** Copies the event for each request, before any is measured. Handlers such as middy's may change their event. */
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
