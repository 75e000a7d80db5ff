/**
 * `npm run bench`: what the service costs beyond the least that it could. A benchmark, not a test: it fails
 * only when a response is not the one that was measured for.
 */
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { claimFile } from '../../infra/command-line/claim-file.ts'
import { runCommand } from '../../infra/command-line/run-command.ts'
import { commandLine } from '../../infra/command-line/tool.ts'
import { type BenchOptions, type PartName, readOptions } from './options.ts'
import { measureBundles } from './parts/bundles.ts'
import { measureCalls } from './parts/calls.ts'
import { measureCold } from './parts/cold.ts'
import type { Part } from './parts/part.ts'
import { measureScale } from './parts/scale.ts'
import { measureWarm } from './parts/warm.ts'
import { chart } from './report/chart.ts'
import { formatSection, type Section } from './report/section.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

const parts: Readonly<Record<PartName, Part>> = {
  bundles: measureBundles,
  cold: measureCold,
  warm: measureWarm,
  calls: measureCalls,
  scale: measureScale,
}

const machine = () => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  gigabytes: Math.round(totalmem() / 2 ** 30),
  node: process.version,
})

/** What is being measured, on one line of a terminal. */
const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

const run = async (options: BenchOptions): Promise<ReadonlyMap<PartName, readonly Section[]>> => {
  await using resources = new AsyncDisposableStack()
  let opened: Promise<Workbench> | undefined
  const workbench = async (): Promise<Workbench> => {
    opened ??= openWorkbench().then((bench) => resources.use(bench))
    return opened
  }
  const results = new Map<PartName, readonly Section[]>()
  for (const name of options.parts) {
    const sections = await parts[name]({ ...options, workbench, progress }).finally(() => progress(''))
    results.set(name, sections)
    for (const section of sections) console.log(`\n${formatSection(section)}`)
  }
  return results
}

await runCommand(async () => {
  const options = readOptions(commandLine())
  const { rounds, json, svg } = options
  for (const file of [json, svg]) if (file !== undefined) claimFile(file)
  const { processor, cores, gigabytes, node } = machine()
  console.log(`${processor}, ${cores} cores, ${gigabytes} GiB, Node ${node}`)
  const results = await run(options)
  if (json !== undefined) {
    const measured = { machine: machine(), at: new Date().toISOString(), rounds, parts: Object.fromEntries(results) }
    writeFileSync(json, `${JSON.stringify(measured, null, 2)}\n`)
  }
  if (svg !== undefined) {
    const note = `${processor}, ${cores} cores, Node ${node}; medians of ${rounds}`
    writeFileSync(svg, chart([...results.values()].flat(), note))
  }
})
