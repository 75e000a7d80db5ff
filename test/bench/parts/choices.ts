import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environments } from '../../../infra/environments.ts'
import { candidates } from '../candidates.ts'
import type { ColdStart, WarmBlock } from '../probe.ts'
import { coldStart, warmProcess } from '../processes.ts'
import type { Section } from '../section.ts'
import { compare, spread } from '../statistics.ts'
import type { Launch, Variation } from '../workbench.ts'
import type { PartContext } from './part.ts'

/** What the service does not do, each beside what it does: the bundle as it is deployed. */
export const measureChoices = async (context: PartContext): Promise<readonly Section[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'pet-adoption-choices-'))
  try {
    return await measure(context, choices(folder))
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface Choice extends Variation {
  readonly choice: string
}

const choices = (cacheFolder: string): readonly Choice[] => [
  { choice: 'the same again, to show the noise' },
  { choice: 'an ES module', bundling: { format: 'esm', banner: { js: requireInModules } } },
  { choice: 'not minified', bundling: { minify: false } },
  { choice: 'all sources of credentials, and event streams', bundling: { external: [] } },
  { choice: 'endpoint discovery', bundling: { alias: {} } },
  { choice: "the packages' CommonJS", bundling: { mainFields: ['main'] } },
  { choice: "V8's code cache of an earlier process", environment: { NODE_COMPILE_CACHE: cacheFolder } },
]

/** Packages that are CommonJS themselves call it. */
const requireInModules = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

const request = 'get'

interface Pair {
  readonly varied: ColdStart
  readonly deployed: ColdStart
}

const measure = async (context: PartContext, compared: readonly Choice[]): Promise<readonly Section[]> => {
  const { workbench, rounds, progress } = context
  const candidate = candidates.find((one) => one.request === request)
  if (candidate === undefined) throw new Error(`There is no request ${request}.`)
  const bench = await workbench()
  const deployed = await bench.launchVariation(candidate, {})
  const rows = []
  const coldCpu: number[] = []
  for (const { choice, ...variation } of compared) {
    const varied = await bench.launchVariation(candidate, variation)
    // A first process fills the code cache.
    await coldStart(varied)
    const pairs: Pair[] = []
    for (let round = 0; round < rounds; round += 1) {
      progress(`${choice}, process ${round + 1} of ${rounds}`)
      pairs.push(await startBoth(varied, deployed, round % 2 === 0))
    }
    coldCpu.push(...pairs.map((pair) => pair.deployed.firstResponseCpu))
    const ratio = (figure: keyof ColdStart) =>
      compare(pairs.map((pair) => ({ measured: pair.varied[figure], floor: pair.deployed[figure] }))).ratio
    rows.push({
      choice,
      bytes: varied.bytes,
      load: ratio('load'),
      firstResponse: ratio('firstResponse'),
      cpu: ratio('firstResponseCpu'),
    })
  }
  progress('warming up')
  return [
    {
      title: `Choices: the cold start of ${request} with each, as a multiple of the deployed bundle's (${deployed.bytes.toLocaleString('en-US')} bytes; median of ${rounds} pairs of processes, middle half)`,
      columns: { choice: 'instead', bytes: 'bytes', load: 'load', firstResponse: 'first response', cpu: 'CPU' },
      rows,
    },
    memorySection(spread(coldCpu).median, await warmUp(deployed)),
  ]
}

/** What comes second finds the machine in another state; each does so in turn. */
const startBoth = async (varied: Launch, deployed: Launch, isVariedFirst: boolean): Promise<Pair> => {
  if (isVariedFirst) return { varied: await coldStart(varied), deployed: await coldStart(deployed) }
  const first = await coldStart(deployed)
  return { varied: await coldStart(varied), deployed: first }
}

const warmUp = async (launch: Launch): Promise<WarmBlock> => {
  await using warm = await warmProcess(launch)
  await warm.send(300)
  // Awaited here, for the process ends with this function.
  return await warm.send(200)
}

/** With this much memory Lambda gives the time of one processor, with less a part ("Configure Lambda function memory"). */
const megabytesPerProcessor = 1_769

const memorySizes = [128, 256, 512, environments.production.functions.memoryMegabytes, megabytesPerProcessor]

/**
 * A reckoning, not a measurement: this machine's processor time, spread over the share of a processor that comes with
 * the memory, and the wait for the database on top of it.
 */
const memorySection = (coldCpu: number, warm: WarmBlock): Section => {
  const waiting = Math.max(0, warm.latency - warm.cpu)
  return {
    title: `Memory: estimated from this machine's processor time (${coldCpu.toFixed(0)} ms to the first response, ${warm.cpu.toFixed(2)} ms for one of a warm process, which waits ${waiting.toFixed(2)} ms more)`,
    columns: { megabytes: 'MB', cold: 'first response, ms', warm: 'warm, ms', cost: 'warm, GB-ms' },
    rows: memorySizes.map((megabytes) => {
      const share = Math.min(1, megabytes / megabytesPerProcessor)
      const duration = warm.cpu / share + waiting
      return {
        megabytes,
        cold: coldCpu / share,
        warm: duration,
        // Lambda charges each millisecond that has begun ("AWS Lambda pricing").
        cost: Math.ceil(duration) * (megabytes / 1_024),
      }
    }),
  }
}
