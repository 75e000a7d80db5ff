import { candidates } from '../candidates.ts'
import type { ColdStart } from '../probe.ts'
import { coldStart } from '../processes.ts'
import { byFigure, type ComparisonRow, comparisonColumns, comparisonRows, type Section } from '../report/section.ts'
import type { PartContext } from './part.ts'

/** How long a bundle takes to load, and a process to its first response. */
export const measureCold = async ({ workbench, rounds, progress }: PartContext): Promise<readonly Section[]> => {
  const rows: ComparisonRow[] = []
  for (const candidate of candidates) {
    const bench = await workbench()
    const measured = await bench.launchFunction(candidate)
    const floor = await bench.launchFloor(candidate)
    const pairs: { readonly measured: ColdStart; readonly floor: ColdStart }[] = []
    for (let round = 0; round < rounds; round += 1) {
      progress(`cold start of ${candidate.request}, process ${round + 1} of ${rounds}`)
      // What comes second finds the machine in another state; each does so in turn.
      const isFirst = round % 2 === 0
      const before = isFirst ? await coldStart(measured) : undefined
      const floorStart = await coldStart(floor)
      pairs.push({ measured: before ?? (await coldStart(measured)), floor: floorStart })
    }
    rows.push(
      ...comparisonRows(candidate.request, pairs, {
        load: 'cold: load, ms',
        firstResponse: 'cold: first response, ms',
        firstResponseCpu: 'cold: CPU to the first response, ms',
      }),
    )
  }
  const section: Section<ComparisonRow> = {
    title: `Cold start: to load the bundle, and from the start of the process to its first response (median of ${rounds} processes, middle half)`,
    columns: comparisonColumns,
    rows: byFigure(rows),
  }
  return [section]
}
