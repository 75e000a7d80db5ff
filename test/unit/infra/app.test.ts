import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { functionNames } from '../../../infra/bundling/function-bundle.ts'
import { environmentNames } from '../../../infra/environments.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-app-'))
afterAll(() => rmSync(directory, { recursive: true }))

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
const assembly = join(directory, 'assembly')
execFileSync(process.execPath, [...preload, 'infra/app.ts'], {
  cwd: fileURLToPath(new URL('../../..', import.meta.url)),
  env: { CDK_OUTDIR: assembly, HOME: join(directory, 'nobody') },
  stdio: 'pipe',
})
const names = readdirSync(assembly, { recursive: true, encoding: 'utf8' })
const read = (name: string): string => readFileSync(join(assembly, name), 'utf8')

interface Artifact {
  readonly type: string
  readonly displayName: string
  readonly properties: { readonly tags: unknown }
}

describe('the app', () => {
  it('would not have synthesized with a connection, even if that fails', () => {
    const reach = "await fetch('https://example.org').catch(() => undefined)"
    const { status } = spawnSync(process.execPath, [...preload, '--input-type=module', '-e', reach], { env: {} })
    expect(status).toBe(1)
  })

  it('needs no lookup in an account, and sends no usage data', () => {
    for (const name of names.filter((one) => one.endsWith('manifest.json'))) {
      expect(JSON.parse(read(name)), name).not.toHaveProperty('missing')
    }
    const templates = names.filter((name) => name.endsWith('.template.json'))
    expect(templates.filter((name) => read(name).includes('AWS::CDK::Metadata'))).toEqual([])
  })

  it.each(environmentNames)(
    'has a stage %s, with its data apart, and its name as a tag of every stack',
    (environment) => {
      const { artifacts } = JSON.parse(read(`assembly-${environment}/manifest.json`))
      const stacks = Object.values<Artifact>(artifacts).filter(({ type }) => type === 'aws:cloudformation:stack')
      for (const stack of ['api', 'data']) {
        expect(stacks.map(({ displayName }) => displayName)).toContain(`${environment}/${stack}`)
      }
      for (const { properties } of stacks) expect(properties.tags).toEqual({ service: 'pet-adoption', environment })
    },
  )

  it('carries one bundle for each function', () => {
    // CDK's own functions come without a `package.json`.
    const bundles = names.filter((name) => /^asset\.[0-9a-f]{64}\/package\.json$/.test(name))
    expect(bundles).toHaveLength(functionNames().length)
  })
})
