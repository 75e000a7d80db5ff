import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const [, folders = ''] = /^### The folders\n(.*?)^## /ms.exec(readFileSync(join(root, 'test/README.md'), 'utf8')) ?? []

const spansOf = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)

/**
 * What each part of the sources imports beside itself and `shared`, by test/README.md: the last column of its row, and what
 * stands before it in the first. A part is a folder with all in it, or a file; a file belongs to the longest that it is in.
 * Nothing imports `test`, and nothing but tests and bundles imports `functions`.
 */
const parts: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...folders.matchAll(/^\| (`.*?) \| .*? \|(.*)\|$/gm)].flatMap(([, first = '', last = '']) =>
    spansOf(first).map((part, place, row) => [part, [...spansOf(last), ...row.slice(0, place)]] as const),
  ),
)

const sources = globSync('{shared,functions,infra}/**/*.ts', { cwd: root }).toSorted()

const partOf = (file: string): string =>
  Object.keys(parts)
    .filter((part) => file === part || file.startsWith(`${part}/`))
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '')

const importsOf = (file: string): readonly string[] =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:import|export)\b[^'"=]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
    ),
  ].map((found) => found.slice(1).find((to) => to !== undefined) ?? '')

it('every file of the sources belongs to a part', () => {
  expect(sources.length).toBeGreaterThan(100)
  expect(sources.filter((file) => partOf(file) === '')).toEqual([])
})

it('imports between the parts of the sources run one way, as test/README.md lists them', () => {
  const others = sources.flatMap((file) =>
    importsOf(file)
      .filter((to) => to.startsWith('.') && to.endsWith('.ts'))
      .map((to) => ({ file, from: partOf(file), to: partOf(join(dirname(file), to)) }))
      .filter(({ from, to }) => to !== from && to !== 'shared' && parts[from]?.includes(to) !== true),
  )
  expect(others).toEqual([])
})

it('the list of test/README.md itself runs one way: a part imports only parts that stand before it', () => {
  const order = Object.keys(parts)
  const backwards = order.flatMap((part, place) =>
    (parts[part] ?? []).filter((imported) => order.indexOf(imported) >= place).map((imported) => [part, imported]),
  )
  expect(backwards).toEqual([])
})

/** On Apple Silicon the package brings Node 24.0.0; there this is undefined, and a command would do nothing. */
it('no command uses import.meta.main, which exists only since Node 24.2', () => {
  expect(sources.filter((file) => /\bimport\.meta\.main\b/.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
