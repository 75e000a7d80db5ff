import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../../../infra/bundling/function-bundle.ts'
import { shouldSkipWithout } from '../../fixtures/size.ts'
import { isWithoutRelease, releasedFile } from './release.ts'

const path = 'shared/contract/openapi.yaml'
const current = readFileSync(join(repositoryRoot, path), 'utf8')
const changelog = readFileSync(join(repositoryRoot, '.github/CHANGELOG.md'), 'utf8')

const isWithoutTool = shouldSkipWithout(
  spawnSync('oasdiff', ['--version']).status === 0,
  'The contract is not compared with that of the last release: there is no oasdiff.',
)

/** What callers of one contract cannot go on with in another, as a line of the changelog begins that names it. */
const breakingChanges = (before: string, after: string): readonly string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-contract-'))
  const files = Object.entries({ before, after }).map(([name, text]) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  })
  const output = execFileSync('oasdiff', ['breaking', ...files, '--format', 'json'], { encoding: 'utf8' })
  const changes: readonly { readonly operation: string; readonly path: string }[] = JSON.parse(output) ?? []
  return changes.map(({ operation, path: where }) => `- Breaking: ${operation} ${where}: `)
}

it.skipIf(isWithoutRelease || isWithoutTool)(
  'The contract has no breaking change since the last release that .github/CHANGELOG.md does not name',
  () => {
    const changes = breakingChanges(releasedFile(path), current)
    expect(changes.filter((line) => !changelog.includes(line))).toEqual([])
  },
)

it.skipIf(isWithoutRelease)('The contract has lost no code of an error since the last release', () => {
  const codesOf = (text: string): readonly string[] => parse(text).components.schemas.ErrorCode.enum
  expect(codesOf(current)).toEqual(expect.arrayContaining([...codesOf(releasedFile(path))]))
})

it.skipIf(isWithoutTool)('A breaking change is found', () => {
  const narrower = current.replace('enum: [available, pending, sold]', 'enum: [available, pending]')
  expect(breakingChanges(current, narrower)).toContain('- Breaking: POST /pets: ')
})
