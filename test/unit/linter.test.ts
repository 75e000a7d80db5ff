import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTemporaryFolder } from '../fixtures/machine/temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface LintError {
  readonly category: string
  readonly message: string
  readonly location: { readonly path: string; readonly start: { readonly line: number } }
}

/** Runs Biome, which exits with 1 if it finds errors. @returns its standard output */
const runBiome = (folder: string): string => {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const options = ['lint', '--reporter=json', '--max-diagnostics=none', '--diagnostic-level=error']
  try {
    return execFileSync(process.execPath, [biome, ...options, folder], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout)
    throw error
  }
}

/** Lints files in an empty folder, with the configuration of this repository. */
const lint = (files: Readonly<Record<string, string>>): readonly LintError[] => {
  const folder = createTemporaryFolder()
  for (const name of ['.biome', '.biome.jsonc']) cpSync(join(root, name), join(folder, name), { recursive: true })
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), source)
  }
  return JSON.parse(runBiome(folder)).diagnostics
}

/** The parts of infra. A part may import only parts that stand before it. */
const parts = [
  'infra/command-line',
  'infra/environments.ts',
  'infra/local/record',
  'infra/contract',
  'infra/bundling',
  'infra/reference',
  'infra/commands/environment',
  'infra/constructs',
  'infra/stacks',
  'infra/app.ts',
  'infra/synthesis',
  'infra/commands/keys',
  'infra/commands/pets',
  'infra/commands/smoke',
  'infra/commands/audit',
  'infra/local',
]

/** Names an example file in a part. Constructs stand in folders, so their example stands in one too. */
const chooseExampleFile = (part: string): string => {
  if (part.endsWith('.ts')) return part
  return part === 'infra/constructs' ? `${part}/api/example.ts` : `${part}/example.ts`
}

/** Writes the source of a file that imports each of the modules, one a line. */
const writeImports = (file: string, modules: readonly string[]): string =>
  modules.map((module) => `import '${relative(dirname(file), module)}'\n`).join('')

it('the list of parts has every folder and file of infra', () => {
  const found = globSync(['infra/*.ts', 'infra/*/', 'infra/commands/*/', 'infra/local/record/'], { cwd: root })
  const paths = found.map((path) => path.replace(/\/$/, '')).filter((path) => path !== 'infra/commands')

  expect(paths.toSorted()).toEqual(parts.toSorted())
})

const testFile = 'test/fixtures/service/clock.ts'
const functionFile = 'functions/get-pet/index.ts'
const infraFiles = parts.map(chooseExampleFile)

/** Imports that a file must not have. */
const refusedImports = [
  { file: 'shared/example.ts', modules: [testFile, functionFile, ...infraFiles] },
  // A function may import another one.
  { file: 'functions/list-pets/index.ts', modules: [testFile, ...infraFiles] },
  // A part may not import the parts that stand after it.
  ...infraFiles.map((file, index) => ({ file, modules: [testFile, functionFile, ...infraFiles.slice(index + 1)] })),
]

/** Every file imports the module that all may import, after those that it must not import. */
const importingFiles = [...refusedImports, { file: testFile, modules: [] }].map(
  ({ file, modules }) => [file, writeImports(file, [...modules, 'shared/pets/pet.ts'])] as const,
)

/** A sample for each plugin of ours, with the beginning of its message. */
const pluginSamples = [
  {
    path: 'shared/spread.ts',
    source: 'export const pet = { ...{ id: 1, name: "Bella" } }',
    message: 'Write the properties or elements themselves',
  },
  {
    path: 'shared/main.ts',
    source: 'if (import.meta.main) console.error("started")',
    message: 'Do not use import.meta.main',
  },
]

describe('the linter', () => {
  let errors: readonly LintError[] = []

  beforeAll(() => {
    const samples = pluginSamples.map(({ path, source }) => [path, source] as const)
    errors = lint(Object.fromEntries([...importingFiles, ...samples]))
  })

  it.each(pluginSamples)('the linter refuses the sample $source', ({ path, message }) => {
    const found = errors.filter(({ location }) => location.path === path)

    expect(found).toMatchObject([{ category: 'plugin', message: expect.stringContaining(message) }])
  })

  it('the linter refuses every import that a part must not have, and no import of shared', () => {
    const refused = errors
      .filter(({ category }) => category !== 'plugin')
      .map(({ location: { path, start } }) => `${path}:${start.line}`)

    // Each module is imported in a line of its own.
    const lines = refusedImports.flatMap(({ file, modules }) => modules.map((_module, index) => `${file}:${index + 1}`))
    expect(refused.toSorted()).toEqual(lines.toSorted())
  })
})
