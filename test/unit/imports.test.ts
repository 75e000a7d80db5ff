import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * What each part of the sources may import, beside itself and `shared`. A part is the longest of these folders (or
 * files) that a file stands in. No list is longer than it has to be: what it names is imported.
 */
const parts: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  functions: [],
  'infra/environments.ts': [],
  'infra/operator-options.ts': ['infra/environments.ts', 'infra/operations/command-line'],
  'infra/app.ts': [],
  'infra/contract': [],
  'infra/bundling': [],
  'infra/reference': [],
  'infra/constructs': [],
  'infra/stacks': [],
  'infra/synthesis': [],
  'infra/operations/command-line': [],
  'infra/operations/target': [],
  'infra/operations/keys': [],
  'infra/operations/seed': [],
  'infra/operations/smoke': [],
  'infra/operations/cost': [],
  'infra/local': [],
}
const sources = globSync('{shared,functions,infra}/**/*.ts', { cwd: root })
const partOf = (file: string): string | undefined =>
  Object.keys(parts)
    .filter((part) => file === part || file.startsWith(`${part}/`))
    .toSorted((one, other) => other.length - one.length)[0]
const importsOf = (file: string): readonly string[] =>
  [...readFileSync(resolve(root, file), 'utf8').matchAll(/(?:from|import) ?\(?'([^']+)'/g)].map(([, to = '']) => to)
it('x', () => {
  const edges: Record<string, Set<string>> = {}
  for (const f of sources)
    for (const to of importsOf(f)) {
      if (!to.startsWith('.')) continue
      const t = relative(root, resolve(root, dirname(f), to))
      const a = partOf(f),
        b = partOf(t)
      if (a !== b && b !== 'shared') (edges[`${a}`] ??= new Set()).add(`${b} (${f} -> ${t})`)
    }
  for (const [k, v] of Object.entries(edges))
    console.log(
      k,
      [...v].map((x) => x.split(' (')[0]).filter((x, i, a) => a.indexOf(x) === i),
    )
  console.log([
    ...(edges['infra/operations/target'] ?? []),
    ...(edges['infra/operations/keys'] ?? []),
    ...(edges['infra/synthesis'] ?? []),
    ...(edges['infra/constructs'] ?? []),
    ...(edges['infra/reference'] ?? []),
  ])
  expect(1).toBe(1)
})
