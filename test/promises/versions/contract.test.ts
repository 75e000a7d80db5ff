import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../../../infra/bundling/function-bundle.ts'
import { shouldSkipWithout } from '../../fixtures/machine/size.ts'
import { isWithoutRelease } from '../../fixtures/release.ts'
import { readReleasedFile } from '../../fixtures/released-sources.ts'

const contractPath = 'shared/contract/openapi.yaml'
const currentContract = readFileSync(join(repositoryRoot, contractPath), 'utf8')
const changelog = readFileSync(join(repositoryRoot, '.github/CHANGELOG.md'), 'utf8')

const isWithoutTool = shouldSkipWithout(
  spawnSync('oasdiff', ['--version']).status === 0,
  'The contract is not compared with that of the last release: there is no oasdiff.',
)

/** Lists the changes that break callers, each as the beginning of its line in the changelog. */
const listBreakingChanges = (before: string, after: string): readonly string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-contract-'))
  const beforeFile = join(folder, 'before')
  const afterFile = join(folder, 'after')
  writeFileSync(beforeFile, before)
  writeFileSync(afterFile, after)

  const words = ['breaking', beforeFile, afterFile, '--format', 'json']
  const output = execFileSync('oasdiff', words, { encoding: 'utf8' })
  const changes: readonly { readonly operation: string; readonly path: string }[] = JSON.parse(output) ?? []
  return changes.map(({ operation, path }) => `- Breaking: ${operation} ${path}: `)
}

/** Reads the codes of errors. A contract lists them as examples; that of the last release, as an enumeration. */
const readErrorCodes = (contract: string): readonly string[] => {
  const { enum: values, examples } = parse(contract).components.schemas.ErrorCode
  return values ?? examples
}

it.skipIf(isWithoutRelease || isWithoutTool)(
  'The changelog names each breaking change of the contract since the last release',
  () => {
    const changes = listBreakingChanges(readReleasedFile(contractPath), currentContract)

    const unnamedChanges = changes.filter((line) => !changelog.includes(line))
    expect(unnamedChanges).toEqual([])
  },
)

it.skipIf(isWithoutRelease)('The contract has every error code of the last release', () => {
  const releasedCodes = readErrorCodes(readReleasedFile(contractPath))

  expect(readErrorCodes(currentContract)).toEqual(expect.arrayContaining([...releasedCodes]))
})

it.skipIf(isWithoutTool)('A status that is missing in a contract is a breaking change', () => {
  const narrowerContract = currentContract.replace('[available, pending, sold]', '[available, pending]')

  const changes = listBreakingChanges(currentContract, narrowerContract)

  expect(changes).toContain('- Breaking: POST /pets: ')
})
