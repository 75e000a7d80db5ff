/**
 * The process in which a bundle is measured: `probe.js PROBE_INPUT`. It loads the bundle as Lambda does and
 * handles one event; with a channel to its parent it then handles as many more as its parent says, block by
 * block. It is bundled too, so that starting it costs no more than starting Node does.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { spread } from './report/statistics.ts'

export interface ProbeInput {
  /** The `index.js` of a bundle. */
  readonly bundle: string
  /** JSON text, from which each request has an event of its own: handlers may change it, as middy's do. */
  readonly event: string
  /** The status of every response; any success where it is left out. */
  readonly status?: number
}

/** Milliseconds. */
export interface ColdStart {
  readonly load: number
  /** Since the process started. */
  readonly firstResponse: number
  /** What the processors have worked until then; other processes disturb it less. */
  readonly firstResponseCpu: number
}

/** Of one request of a block, in milliseconds. */
export interface WarmBlock {
  /** On average. */
  readonly cpu: number
  /** The median: a request that another process held up says nothing. */
  readonly latency: number
}

const input: ProbeInput = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))

const context = { getRemainingTimeInMillis: () => 10_000 }

const loadStartedAt = performance.now()
const { handler } = createRequire(input.bundle)(input.bundle)
const load = performance.now() - loadStartedAt

const check = (response: { readonly statusCode?: number; readonly policyDocument?: object }): void => {
  const { statusCode, policyDocument } = response
  const isSuccess = statusCode !== undefined ? statusCode < 300 : policyDocument !== undefined
  if (input.status === undefined ? isSuccess : statusCode === input.status) return
  throw new Error(`${input.bundle} returned ${JSON.stringify(response)}`)
}

const runBlock = async (requests: number): Promise<WarmBlock> => {
  const events = Array.from({ length: requests }, () => JSON.parse(input.event))
  const latencies: number[] = []
  const usedBefore = process.cpuUsage()
  for (const event of events) {
    const startedAt = performance.now()
    check(await handler(event, context))
    latencies.push(performance.now() - startedAt)
  }
  const cpu = milliseconds(process.cpuUsage(usedBefore)) / requests
  return { cpu, latency: spread(latencies).median }
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000

const start = async (): Promise<void> => {
  check(await handler(JSON.parse(input.event), context))
  const firstResponse = performance.now()
  const cold: ColdStart = { load, firstResponse, firstResponseCpu: milliseconds(process.cpuUsage()) }
  if (process.send === undefined) {
    process.stdout.write(JSON.stringify(cold))
    return
  }
  process.on('message', async (requests: number) => process.send?.(await runBlock(requests)))
  process.send(cold)
}

start().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
