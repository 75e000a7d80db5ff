import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundleFunction } from '../../infra/bundling/function-bundle.ts'
import { formatNumber } from './report/section.ts'

interface Row {
  readonly figure?: string
  readonly request?: string
  readonly origin?: string
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

  it('the bytes of the bundles, still about what they are, and those of the authorizer the fewest', () => {
    const all = new Map(Object.entries(rows.find(({ origin }) => origin === 'all') ?? {}))
    const bytes = ['authorizer', 'get-pet', 'create-pet', 'list-pets', 'list-pets'].map((name) => all.get(name))
    expect(speed).toContain(`| bundle, bytes | ${bytes.map((count) => formatNumber(Number(count))).join(' | ')} |\n`)
    const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-sizes-'))
    const sizeOf = (name: string): number => {
      bundleFunction(name, join(folder, name))
      return statSync(join(folder, name, 'index.js')).size
    }
    const [authorizer = 0, ...others] = ['authorizer', 'get-pet', 'create-pet', 'list-pets'].map((name) => {
      const size = sizeOf(name)
      expect(Math.abs(Number(all.get(name)) / size - 1)).toBeLessThan(0.02)
      return size
    })
    rmSync(folder, { recursive: true })
    expect(authorizer).toBeLessThan(Math.min(...others))
  })
})
