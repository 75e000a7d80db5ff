import { candidates } from '../candidates.ts'
import type { WarmBlock } from '../probe.ts'
import { warmProcess } from '../processes.ts'
import { byFigure, type ComparisonRow, comparisonColumns, type Section } from '../section.ts'
import { compare } from '../statistics.ts'
import type { PartContext } from './part.ts'

/** V8 has compiled the path of a request by then. */
const warmUpRequests = 300
const requestsInBlock = 50

/** The processor time and the latency of a request, once a process has served many. */
export const measureWarm = async ({ workbench, rounds, progress }: PartContext): Promise<readonly Section[]> => {
  const rows: ComparisonRow[] = []
  for (const candidate of candidates) {
    const bench = await workbench()
    await using measured = await warmProcess(await bench.launchFunction(candidate))
    await using floor = await warmProcess(await bench.launchFloor(candidate))
    progress(`warming up ${candidate.request}`)
    await measured.send(warmUpRequests)
    await floor.send(warmUpRequests)
    const pairs: { readonly measured: WarmBlock; readonly floor: WarmBlock }[] = []
    for (let round = 0; round < rounds; round += 1) {
      progress(`warm ${candidate.request}, block ${round + 1} of ${rounds}`)
      pairs.push({ measured: await measured.send(requestsInBlock), floor: await floor.send(requestsInBlock) })
    }
    const figure = (name: keyof WarmBlock) =>
      compare(pairs.map((pair) => ({ measured: pair.measured[name], floor: pair.floor[name] })))
    rows.push(
      { figure: 'warm: CPU, ms', request: candidate.request, ...figure('cpu') },
      { figure: 'warm: latency, ms', request: candidate.request, ...figure('latency') },
    )
  }
  const section: Section<ComparisonRow> = {
    title: `Warm: of one request, the database's part of the latency included (median of ${rounds} blocks of ${requestsInBlock}, middle half)`,
    columns: comparisonColumns,
    rows: byFigure(rows),
  }
  return [section]
}
