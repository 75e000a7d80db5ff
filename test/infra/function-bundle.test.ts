import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bundleFunction } from '../../infra/bundling/function-bundle.ts'
import { readFunctionFolders } from '../../infra/constructs/function-folders.ts'
import { environmentVariables } from '../../shared/environment-variables.ts'

const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-bundle-'))

beforeAll(() => {
  // As below the repository, where a bundle must not be taken for an ES module.
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  for (const name of Object.values(environmentVariables)) vi.stubEnv(name, '1')
  vi.stubEnv(environmentVariables.apiKeyPrefix, 'pet_test_')
  vi.stubEnv('AWS_REGION', 'eu-central-1')
})

afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true })
})

describe.each(readFunctionFolders())('the bundle of %s', (name) => {
  const folder = join(directory, name)
  const code = () => readFileSync(join(folder, 'index.js'), 'utf8')

  it('is loaded as Lambda loads it', () => {
    bundleFunction(name, folder)
    expect(readdirSync(folder).sort()).toEqual(['index.js', 'package.json'])
    const loaded: { handler?: unknown } = createRequire(import.meta.url)(join(folder, 'index.js'))
    expect(loaded.handler).toBeTypeOf('function')
  })

  it('is the same on every machine', () => {
    expect(code()).not.toContain(repositoryRoot)
    const again = join(directory, `${name}-again`)
    bundleFunction(name, again)
    expect(readFileSync(join(again, 'index.js'), 'utf8')).toBe(code())
  })

  it('leaves out the ways to credentials that Lambda never takes', () => {
    expect(code()).not.toContain('AssumeRoleWithWebIdentity')
  })

  it('leaves out event streams and endpoint discovery, which no operation of DynamoDB here has', () => {
    const modules = [...bundleFunction(name, folder).keys()]
    expect(modules.filter((module) => /event-streams|endpoint-cache|mnemonist/.test(module))).toEqual([])
  })

  it('is not larger than a quick cold start allows', () => {
    const kilobyte = 1_000
    expect(statSync(join(folder, 'index.js')).size).toBeLessThanOrEqual((name === 'authorizer' ? 210 : 230) * kilobyte)
  })
})
