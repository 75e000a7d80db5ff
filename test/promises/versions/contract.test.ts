import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../../../infra/bundling/function-bundle.ts'
import { release, skipsWithout } from './bundles.ts'

const contractPath = 'shared/contract/openapi.yaml'
const changelog = readFileSync(new URL('../../../.github/CHANGELOG.md', import.meta.url), 'utf8')

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-contract-'))
afterAll(() => rmSync(directory, { recursive: true }))

const isMissing = spawnSync('oasdiff', ['--version']).status !== 0
if (isMissing && process.env['CI'] === 'true') throw new Error('oasdiff is not found.')
if (isMissing) console.log('oasdiff is not found: the contract is not compared with that of the last release here.')

interface Change {
  readonly id: string
  readonly text: string
  readonly operation: string
  readonly path: string
}

/** What callers of one contract cannot go on with in another. */
const breakingChanges = (released: string, next: string): readonly Change[] => {
  const { stdout, stderr } = spawnSync('oasdiff', ['breaking', released, next, '--format', 'json'], {
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) ?? []
}

/** The breaking changes that no line of the changelog names, such as `- Breaking: POST /pets: a colour is required.` */
const unannounced = (changes: readonly Change[], text: string): readonly string[] => {
  const announced = text.split('\n').filter((line) => line.startsWith('- Breaking: '))
  return changes
    .filter(({ operation, path }) => !announced.some((line) => line.startsWith(`- Breaking: ${operation} ${path}: `)))
    .map(({ operation, path, text: what }) => `${operation} ${path}: ${what}`)
}

const write = (name: string, text: string): string => {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

const current = fileURLToPath(new URL(`../../../${contractPath}`, import.meta.url))

describe.skipIf(skipsWithout(release))('the contract, since the last release,', () => {
  const released = (): string =>
    execFileSync('git', ['show', `${release}:${contractPath}`], { cwd: repositoryRoot, encoding: 'utf8' })

  it.skipIf(isMissing)('has no breaking change that .github/CHANGELOG.md does not name', () => {
    expect(unannounced(breakingChanges(write('released.yaml', released()), current), changelog)).toEqual([])
  })

  it('has lost no code of an error', () => {
    const codesOf = (text: string): readonly string[] => parse(text).components.schemas.ErrorCode.enum
    expect(codesOf(readFileSync(current, 'utf8'))).toEqual(expect.arrayContaining([...codesOf(released())]))
  })
})

describe.skipIf(isMissing)('a breaking change', () => {
  const text = readFileSync(current, 'utf8')
  it.each([
    ['maximum: 100,', 'maximum: 50,', 'GET /pets'],
    ['required: [name, categoryId]', 'required: [name, categoryId, status]', 'POST /pets'],
    ['enum: [available, pending, sold]', 'enum: [available, pending]', 'POST /pets'],
  ])('is found, until a line names it: %s becomes %s', (before, after, where) => {
    const changed = write('changed.yaml', text.replace(before, after))
    const changes = breakingChanges(current, changed)
    expect(unannounced(changes, '').join('\n')).toContain(where)
    const lines = changes.map(({ operation, path }) => `- Breaking: ${operation} ${path}: a reason.`)
    expect(unannounced(changes, lines.join('\n'))).toEqual([])
  })
})
