import { formatSection } from '../../bench/report/section.ts'
import type { Findings } from './findings.ts'
import { type Sample, type Trend, trendOf } from './trend.ts'

const mebibyte = 1024 * 1024

/**
 * How much a figure may grow after the warm-up. A leak of 50 bytes a request passes that of the main thread's
 * heap within half an hour of 200 requests a second. Resident memory follows V8, which takes as much as it
 * likes for garbage: it shows what leaks outside of the heaps. Connections come and go by a dozen, which passes for
 * growth in a run of a minute; one that each key's life leaks passes the limit within five.
 */
const mostGrowth = {
  'resident memory': (median) => median * 0.15,
  'heap, main thread': () => 16 * mebibyte,
  'heaps, threads': (median) => Math.max(32 * mebibyte, median * 0.15),
  'open files': () => 25,
  sockets: () => 25,
  'temporary files': () => 0,
} satisfies Readonly<Record<string, (median: number) => number>>

/** What must not grow; files and sockets only where the system shows them, which is on Linux. */
export type Figure = keyof typeof mostGrowth

/** Figures with garbage in them, which V8 lets grow in the first minutes of each thread, leak or none. */
const withGarbage: ReadonlySet<Figure> = new Set(['resident memory', 'heaps, threads'])
const fewestMinutesWithGarbage = 10

type Verdict = 'steady' | 'GROWS' | 'too short to tell'

interface JudgedFigure extends Trend {
  readonly figure: Figure
  readonly mostGrowth: number
  readonly verdict: Verdict
  readonly samples: readonly Sample[]
}

export interface Report {
  readonly minutes: number
  readonly requests: number
  readonly requestsPerSecond: number
  /** By request and status. */
  readonly responses: Readonly<Record<string, number>>
  readonly faultCount: number
  /** The first of them. */
  readonly faults: readonly string[]
  readonly figures: readonly JudgedFigure[]
  readonly isWell: boolean
}

export const judge = (minutes: number, findings: Findings, samples: ReadonlyMap<Figure, readonly Sample[]>): Report => {
  const figures = [...samples].map(([figure, taken]): JudgedFigure => {
    const trend = trendOf(taken)
    const limit = mostGrowth[figure](trend.median)
    const isTooShort = withGarbage.has(figure) && minutes < fewestMinutesWithGarbage
    const verdict = isTooShort ? 'too short to tell' : trend.growth <= limit ? 'steady' : 'GROWS'
    return { figure, ...trend, mostGrowth: limit, verdict, samples: taken }
  })
  const { requests, faultCount, faults } = findings
  return {
    minutes,
    requests,
    requestsPerSecond: Math.round(requests / (minutes * 60)),
    responses: Object.fromEntries([...findings.responses].toSorted()),
    faultCount,
    faults,
    figures,
    isWell: faultCount === 0 && requests > 0 && figures.some(isSteady) && !figures.some(isGrowing),
  }
}

const isSteady = ({ verdict }: JudgedFigure): boolean => verdict === 'steady'
const isGrowing = ({ verdict }: JudgedFigure): boolean => verdict === 'GROWS'

export const reportText = ({ minutes, requests, requestsPerSecond, ...report }: Report): string =>
  [
    `${minutes} minutes, ${requests} requests, ${requestsPerSecond} a second, ${report.faultCount} faults`,
    ...report.faults.map((fault) => `  ${fault}`),
    formatSection({
      title: '\nResponses',
      columns: { response: 'response', count: 'count' },
      rows: Object.entries(report.responses).map(([response, count]) => ({ response, count })),
    }),
    formatSection({
      title: '\nFigures, memory in bytes',
      columns: {
        figure: 'figure',
        median: 'median',
        highest: 'highest',
        growth: 'growth',
        mostGrowth: 'at most',
        verdict: '',
      },
      rows: report.figures.map(({ samples: _samples, ...figure }) => figure),
    }),
  ].join('\n')
