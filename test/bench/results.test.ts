import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { measureBundles } from './parts/bundles.ts'
import { formatNumber } from './report/section.ts'

interface Row {
  readonly figure?: string
  readonly request?: string
  readonly bundle?: string
  readonly bytes?: number
  readonly ratio?: { readonly median: number }
}

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

const { parts }: { parts: Readonly<Record<string, readonly { readonly rows: readonly Row[] }[]>> } = JSON.parse(
  read('test/bench/results/usual.json'),
)
const rows = Object.values(parts).flatMap((sections) => sections.flatMap((section) => section.rows))
const speed = read('test/bench/README.md')
const requests = ['authorizer', 'get', 'create', 'list, one status', 'list, all']

describe('test/bench/README.md shows what was measured', () => {
  it.each([
    ['to load the bundle', 'cold: load, ms'],
    ['from the start of a process to its first response', 'cold: first response, ms'],
    ['processor time of a warm request', 'warm: CPU, ms'],
    ['latency of a warm request', 'warm: latency, ms'],
  ])('%s', (label, figure) => {
    const ratios = requests.map(
      (request) => rows.find((row) => row.figure === figure && row.request === request)?.ratio?.median,
    )
    expect(speed).toContain(`| ${label} | ${ratios.map((ratio) => ratio?.toFixed(2)).join(' | ')} |\n`)
  })

  it('the bytes of the bundles, still about what they are, and those of the authorizer the fewest', async () => {
    const bytesOf = new Map(rows.map(({ bundle, bytes }) => [bundle, bytes]))
    const bytes = ['authorizer', 'get-pet', 'create-pet', 'list-pets', 'list-pets'].map((name) => bytesOf.get(name))
    expect(speed).toContain(`| bundle, bytes | ${bytes.map((count) => formatNumber(Number(count))).join(' | ')} |\n`)
    const now = (await measureBundles()).flatMap((section) => section.rows)
    for (const { bundle, bytes } of now)
      expect(Math.abs(Number(bytesOf.get(bundle)) / bytes - 1), bundle).toBeLessThan(0.02)
    const [authorizer, ...others] = now.filter(({ bundle }) => !bundle.startsWith('floor'))
    expect(authorizer?.bytes).toBeLessThan(Math.min(...others.map(({ bytes }) => bytes)))
  })
})
