import { type Comparison, compare, type Spread } from './statistics.ts'

export type Cell = string | number | Spread

/** One table of the results: the JSON file holds its rows, the terminal shows them. */
export interface Section<Row extends Readonly<Record<string, Cell>> = Readonly<Record<string, Cell>>> {
  readonly title: string
  /** The headings of the columns, by the name that each has in the rows. */
  readonly columns: Readonly<Record<keyof Row & string, string>>
  readonly rows: readonly Row[]
}

/** A figure of a function beside that of its floor. */
export type ComparisonRow = Comparison & {
  readonly figure: string
  readonly request: string
}

export const comparisonColumns = {
  figure: 'figure',
  request: 'request',
  measured: 'function',
  floor: 'floor',
  ratio: 'ratio',
} as const

/**
 * A row for each figure of rounds in which a function and its floor ran side by side.
 *
 * @param figures how the figures of a round are called in the table
 */
export const comparisonRows = <Name extends string>(
  request: string,
  rounds: readonly Readonly<Record<'measured' | 'floor', Readonly<Record<Name, number>>>>[],
  figures: Readonly<Record<Name, string>>,
): readonly ComparisonRow[] =>
  (Object.keys(figures) as Name[]).map((name) => ({
    figure: figures[name],
    request,
    ...compare(rounds.map(({ measured, floor }) => ({ measured: measured[name], floor: floor[name] }))),
  }))

/** Each figure's rows together, in the order in which the figures come. */
export const byFigure = (rows: readonly ComparisonRow[]): readonly ComparisonRow[] =>
  [...Map.groupBy(rows, ({ figure }) => figure).values()].flat()

/** The section as text, its columns aligned. */
export const formatSection = ({ title, columns, rows }: Section): string => {
  const names = Object.keys(columns)
  const texts = [Object.values(columns), ...rows.map((row) => names.map((name) => formatCell(row[name] ?? '')))]
  const widths = names.map((_, column) => Math.max(...texts.map((line) => (line[column] ?? '').length)))
  // Text begins on one line, numbers end on one.
  const isText = names.map((name) => rows.every((row) => typeof row[name] === 'string'))
  const format = (line: readonly string[]): string =>
    line
      .map((text, column) => (isText[column] ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return `${title}\n\n${texts.map(format).join('\n')}`
}

const formatCell = (cell: Cell): string => {
  if (typeof cell === 'string') return cell
  if (typeof cell === 'number') return formatNumber(cell)
  const { lowerQuartile, median, upperQuartile } = cell
  return `${formatNumber(median)} (${formatNumber(lowerQuartile)} to ${formatNumber(upperQuartile)})`
}

/** As many digits as a measurement bears. */
export const formatNumber = (value: number): string => {
  if (Number.isInteger(value)) return value.toLocaleString('en-US')
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)
}
