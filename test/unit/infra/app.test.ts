import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { functionNames } from '../../../infra/bundling/function-bundle.ts'
import { environmentNames } from '../../../infra/environments.ts'
import { sharedAssembly } from '../../fixtures/assembly.ts'

const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-app-'))
afterAll(() => rmSync(directory, { recursive: true }))

/**
 * Every file below a folder, by its path in it, but for CDK's stack traces: they tell what code
 * synthesized, which here is once a test and once a process.
 */
const filesIn = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.metadata\.json$|^validation-report\.json$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]),
  )

/** Makes a process fail if it opens a connection, even if it handles the error. */
const withoutNetwork = join(directory, 'without-network.mjs')
writeFileSync(
  withoutNetwork,
  `import { Socket } from 'node:net'
   Socket.prototype.connect = () => {
     process.exitCode = 1
     throw new Error('There is no network.')
   }`,
)
const preload = ['--import', pathToFileURL(withoutNetwork).href]

/** As synthesized in a process without credentials, home, configuration or network. */
const first = join(directory, 'first')
execFileSync(process.execPath, [...preload, 'infra/app.ts'], {
  cwd: repositoryRoot,
  env: { CDK_OUTDIR: first, HOME: join(directory, 'nobody') },
  stdio: 'pipe',
})
const files = filesIn(first)

interface Artifact {
  readonly type: string
  readonly displayName: string
  readonly properties: { readonly tags: unknown }
}

describe('the app', () => {
  it('synthesizes the same as for an environment by itself', () => {
    const again = [...filesIn(join(sharedAssembly, 'assembly-staging'))]
    expect(again.filter(([path]) => path.endsWith('.template.json'))).toHaveLength(3)
    for (const [path, content] of again) expect(files.get(`/assembly-staging${path}`), path).toBe(content)
  })

  it('would not have synthesized with a connection, even if that fails', () => {
    const reach = "await fetch('https://example.org').catch(() => undefined)"
    const { status } = spawnSync(process.execPath, [...preload, '--input-type=module', '-e', reach], { env: {} })
    expect(status).toBe(1)
  })

  it('needs no lookup in an account', () => {
    for (const [path, content] of files) {
      if (path.endsWith('manifest.json')) expect(JSON.parse(content), path).not.toHaveProperty('missing')
    }
  })

  it('sends no usage data', () => {
    for (const [path, content] of files) {
      if (path.endsWith('.template.json')) expect(content, path).not.toContain('AWS::CDK::Metadata')
    }
  })

  it('has a stage for each environment, with its data apart, and tags every stack with its environment', () => {
    for (const environment of environmentNames) {
      const manifest = JSON.parse(String(files.get(`/assembly-${environment}/manifest.json`)))
      const stacks = Object.values<Artifact>(manifest.artifacts).filter(
        ({ type }) => type === 'aws:cloudformation:stack',
      )
      expect(stacks.map(({ displayName }) => displayName).toSorted()).toEqual(
        ['api', 'data', 'reference'].map((name) => `${environment}/${name}`),
      )
      for (const { properties } of stacks) expect(properties.tags).toEqual({ service: 'pet-adoption', environment })
    }
  })

  it('carries one bundle for each function', () => {
    const bundles = [...files.keys()].filter(
      // CDK's own functions, such as the one that empties a bucket, come without a `package.json`.
      (path) => /^\/asset\.[0-9a-f]{64}\/index\.js$/.test(path) && files.has(path.replace('index.js', 'package.json')),
    )
    expect(bundles).toHaveLength(functionNames().length)
  })
})
