/** The picture of a simulation: what happened, hour by hour. */
import type { Hour } from './history.ts'

interface Row {
  readonly title: string
  readonly count: (hour: Hour) => number
  readonly color: string
}

const rows: readonly Row[] = [
  { title: 'Requests', count: ({ requests }) => requests, color: '#2563eb' },
  { title: 'Responses 429', count: ({ limited }) => limited, color: '#d97706' },
  { title: 'Faults', count: ({ faults }) => faults, color: '#dc2626' },
  { title: 'Commands of operators', count: ({ commands }) => commands, color: '#059669' },
]

/** Pixels. */
const width = 960
const left = 60
const chartWidth = width - left - 20
const rowHeight = 110
const barsHeight = 70
const bottom = 40

/** The most bars of a row. A bar of a long simulation is the sum of several hours. */
const maximumBars = 240

/** Draws requests, refusals, faults and commands as an SVG image. */
export const drawPicture = (title: string, hours: readonly Hour[]): string => {
  const hoursPerBar = Math.ceil(hours.length / maximumBars)
  const height = 40 + rows.length * rowHeight + bottom
  const charts = rows.map((row, index) => {
    const counts = sumBars(hours.map(row.count), hoursPerBar)
    return drawRow(row, counts, 40 + index * rowHeight)
  })
  const scale = hoursPerBar === 1 ? 'Each bar is an hour.' : `Each bar is ${hoursPerBar} hours.`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    drawText(left, 24, title, 'font-weight="bold"'),
    ...charts,
    drawText(left, height - 14, `0 to ${hours.length} hours. ${scale}`),
    '</svg>',
    '',
  ].join('\n')
}

const sumBars = (counts: readonly number[], hoursPerBar: number): readonly number[] => {
  const bars: number[] = []
  for (const [hour, count] of counts.entries()) {
    const bar = Math.floor(hour / hoursPerBar)
    bars[bar] = (bars[bar] ?? 0) + count
  }
  return bars
}

const drawRow = ({ title, color }: Row, counts: readonly number[], top: number): string => {
  const highest = Math.max(...counts, 0)
  const base = top + 20 + barsHeight
  const barWidth = chartWidth / counts.length
  const bars = counts.map((count, index) => {
    const barHeight = highest === 0 ? 0 : (count / highest) * barsHeight
    const x = (left + index * barWidth).toFixed(1)
    const y = (base - barHeight).toFixed(1)
    return `<rect x="${x}" y="${y}" width="${(barWidth * 0.9).toFixed(1)}" height="${barHeight.toFixed(1)}" fill="${color}"/>`
  })
  return [
    drawText(left, top + 12, title),
    drawText(left - 8, top + 28, String(highest), 'text-anchor="end"'),
    drawText(left - 8, base, '0', 'text-anchor="end"'),
    ...bars,
    `<line x1="${left}" x2="${left + chartWidth}" y1="${base}" y2="${base}" stroke="#888"/>`,
  ].join('\n')
}

const drawText = (x: number, y: number, text: string, attributes = ''): string =>
  `<text x="${x}" y="${y}" ${attributes}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
