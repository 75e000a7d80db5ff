import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../../../infra/bundling/function-bundle.ts'
import { skipsWithout } from '../../fixtures/size.ts'
import { isWithoutRelease, releasedFile } from './release.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-contract-'))
afterAll(() => rmSync(directory, { recursive: true }))

const path = 'shared/contract/openapi.yaml'
const current = readFileSync(join(repositoryRoot, path), 'utf8')
const changelog = readFileSync(join(repositoryRoot, '.github/CHANGELOG.md'), 'utf8')

const isWithoutTool = skipsWithout(
  spawnSync('oasdiff', ['--version']).status === 0,
  'The contract is not compared with that of the last release: there is no oasdiff.',
)

interface Change {
  readonly text: string
  readonly operation: string
  readonly path: string
}

/** What callers of one contract cannot go on with in another. */
const breakingChanges = (before: string, after: string): readonly Change[] => {
  const files = Object.entries({ before, after }).map(([name, text]) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  })
  return JSON.parse(execFileSync('oasdiff', ['breaking', ...files, '--format', 'json'], { encoding: 'utf8' })) ?? []
}

/** Those that no line names, such as `- Breaking: POST /pets: a colour is required.` */
const unannounced = (changes: readonly Change[], lines: string): readonly string[] =>
  changes.flatMap(({ operation, path: where, text }) =>
    lines.includes(`- Breaking: ${operation} ${where}: `) ? [] : [`${operation} ${where}: ${text}`],
  )

it.skipIf(isWithoutRelease || isWithoutTool)(
  'The contract has no breaking change since the last release that .github/CHANGELOG.md does not name',
  () => expect(unannounced(breakingChanges(releasedFile(path), current), changelog)).toEqual([]),
)

it.skipIf(isWithoutRelease)('The contract has lost no code of an error since the last release', () => {
  const codesOf = (text: string): readonly string[] => parse(text).components.schemas.ErrorCode.enum
  expect(codesOf(current)).toEqual(expect.arrayContaining([...codesOf(releasedFile(path))]))
})

it.skipIf(isWithoutTool).each([
  ['maximum: 100,', 'maximum: 50,', 'GET /pets'],
  ['required: [name, categoryId]', 'required: [name, categoryId, status]', 'POST /pets'],
  ['enum: [available, pending, sold]', 'enum: [available, pending]', 'POST /pets'],
])('A breaking change is found, until a line names it: %s becomes %s', (before, after, where) => {
  const changes = breakingChanges(current, current.replace(before, after))
  expect(unannounced(changes, '').join('\n')).toContain(where)
  const lines = changes.map(({ operation, path: at }) => `- Breaking: ${operation} ${at}: a reason.`)
  expect(unannounced(changes, lines.join('\n'))).toEqual([])
})
