import { type ComparisonRow, formatNumber, type Section } from './section.ts'

const width = 760
const barsFrom = 150
const barsTo = 560
const rowHeight = 22
const barHeight = 14

/** An SVG that draws each figure of a function over that of its floor; readable on light and on dark pages. */
export const chart = (sections: readonly Section[], note: string): string => {
  const rows = sections.flatMap(({ rows }) => rows.filter(isComparison))
  const groups = [...Map.groupBy(rows, ({ figure }) => figure)]
  const parts: string[] = []
  let top = 46
  for (const [figure, compared] of groups) {
    parts.push(text(0, top + 12, figure, 'heading'))
    top += rowHeight
    const largest = Math.max(...compared.map(({ measured, floor }) => Math.max(measured.median, floor.median)))
    for (const row of compared) {
      parts.push(bars(row, top, largest))
      top += rowHeight
    }
    top += 12
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" role="img" aria-label="Each function beside its floor">
<style>${style}</style>
${legend(note)}
${parts.join('\n')}
</svg>
`
}

const isComparison = (row: Section['rows'][number]): row is ComparisonRow => 'measured' in row && 'floor' in row

/** What a function needs beyond its floor is drawn behind the floor's bar. */
const bars = ({ request, measured, floor, ratio }: ComparisonRow, top: number, largest: number): string => {
  const length = (value: number): string => (((barsTo - barsFrom) * value) / largest).toFixed(1)
  const bar = (value: number, name: string): string =>
    `<rect class="${name}" x="${barsFrom}" y="${top}" width="${length(value)}" height="${barHeight}" rx="2"/>`
  const figures = `${formatNumber(measured.median)} (floor ${formatNumber(floor.median)}), ${formatNumber(ratio.median)} x`
  return [
    text(12, top + 11, request),
    bar(measured.median, 'measured'),
    bar(Math.min(floor.median, measured.median), 'floor'),
    text(barsTo + 12, top + 11, figures),
  ].join('')
}

const legend = (note: string): string =>
  [
    '<rect class="floor" x="0" y="4" width="14" height="10" rx="2"/>',
    text(20, 13, 'floor: the same calls, nothing else'),
    '<rect class="measured" x="250" y="4" width="14" height="10" rx="2"/>',
    text(270, 13, 'the function'),
    text(0, 32, note, 'note'),
  ].join('')

const text = (x: number, y: number, content: string, name = ''): string =>
  `<text x="${x}" y="${y}"${name === '' ? '' : ` class="${name}"`}>${escapeXml(content)}</text>`

const escapeXml = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const style = [
  'text{font:12px system-ui,sans-serif;fill:#1f2328}',
  '.heading{font-weight:600}.note{fill:#59636e}',
  '.floor{fill:#8c959f}.measured{fill:#0969da}',
  '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.note{fill:#9198a1}.floor{fill:#656c76}.measured{fill:#4493f8}}',
].join('')
