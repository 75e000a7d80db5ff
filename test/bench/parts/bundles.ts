import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BundleContents, bundleFunction, bundleModule } from '../../../infra/bundling/function-bundle.ts'
import type { Section } from '../report/section.ts'
import type { PartContext } from './part.ts'

const functions = ['authorizer', 'get-pet', 'create-pet', 'list-pets'] as const

/** What has fewer bytes than this in every bundle is shown in one row. */
const shownBytes = 1_500

/** The bytes of each minified bundle, and which packages they come from. */
export const measureBundles = async ({ progress }: PartContext): Promise<readonly Section[]> => {
  progress('bundling')
  const folder = await mkdtemp(join(tmpdir(), 'pet-adoption-bundles-'))
  try {
    const bundles = new Map<string, Measured>()
    for (const name of functions) {
      bundles.set(name, await measure(join(folder, name), (output) => bundleFunction(name, output)))
    }
    const floor = (output: string) => bundleModule('test/bench/floors/get-pet.ts', output)
    bundles.set('floor of get-pet', await measure(join(folder, 'floor'), floor))
    return [section(bundles)]
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface Measured {
  readonly total: number
  readonly origins: ReadonlyMap<string, number>
}

const measure = async (output: string, bundle: (output: string) => BundleContents): Promise<Measured> => {
  const origins = bytesByOrigin(bundle(output))
  return { total: (await stat(join(output, 'index.js'))).size, origins }
}

/** The bytes of each package, or of a part of it where it has parts; `this service` for what is in no package. */
export const bytesByOrigin = (contents: BundleContents): ReadonlyMap<string, number> => {
  const bytes = new Map<string, number>()
  for (const [module, own] of contents) {
    const origin = originOf(module)
    bytes.set(origin, (bytes.get(origin) ?? 0) + own)
  }
  return bytes
}

const originOf = (module: string): string => {
  const [, name, part] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)(?:\/dist-es\/submodules(\/[^/]+))?/.exec(module) ?? []
  return name === undefined ? 'this service' : name + (part ?? '')
}

const section = (bundles: ReadonlyMap<string, Measured>): Section => {
  const bytes = (origin: string): number[] => [...bundles.values()].map(({ origins }) => origins.get(origin) ?? 0)
  const origins = [...new Set([...bundles.values()].flatMap((bundle) => [...bundle.origins.keys()]))].toSorted(
    (one, other) => Math.max(...bytes(other)) - Math.max(...bytes(one)),
  )
  const shown = origins.filter((origin) => Math.max(...bytes(origin)) >= shownBytes)
  const totals = [...bundles.values()].map(({ total }) => total)
  const rest = totals.map((total, column) => shown.reduce((left, origin) => left - (bytes(origin)[column] ?? 0), total))
  const row = (origin: string, figures: readonly number[]) => ({
    origin,
    ...Object.fromEntries([...bundles.keys()].map((name, column) => [name, figures[column] ?? 0])),
  })
  return {
    title: 'Bundles: bytes, minified, and where they come from',
    columns: { origin: 'from', ...Object.fromEntries([...bundles.keys()].map((name) => [name, name])) },
    rows: [row('all', totals), ...shown.map((origin) => row(origin, bytes(origin))), row('others', rest)],
  }
}
