import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createApp } from '../../../infra/app.ts'
import { functionNames } from '../../../infra/bundling/function-bundle.ts'
import { defaults, environmentNames } from '../../../infra/environments.ts'
import { assemblyFolder } from '../../../infra/synthesis/synthesize.ts'

const outdir = mkdtempSync(join(tmpdir(), 'pet-adoption-app-'))
const connect = vi.spyOn(Socket.prototype, 'connect')
beforeAll(() => {
  connect.mockImplementation(() => {
    throw new Error('There is no network.')
  })
  for (const name of Object.keys(process.env).filter((one) => one.startsWith('AWS_'))) vi.stubEnv(name, undefined)
  // Its checks of templates connect to nothing either, and take longer than all the rest.
  vi.stubEnv('CDK_VALIDATION', 'false')
  const { staging, production } = defaults
  const configs = { staging, production: { ...production, alarmEmail: 'none' as const } }
  const context = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true }
  createApp(configs, { context, outdir }).synth()
})
afterAll(() => {
  connect.mockRestore()
  vi.unstubAllEnvs()
  rmSync(outdir, { recursive: true })
})

it('the app needs no network, no credentials and no lookup in an account, and sends no usage data', () => {
  expect(connect).not.toHaveBeenCalled()
  const names = readdirSync(outdir, { recursive: true, encoding: 'utf8' })
  const read = (name: string): string => readFileSync(join(outdir, name), 'utf8')
  const manifests = names.filter((name) => name.endsWith('manifest.json'))
  expect(manifests.filter((name) => 'missing' in JSON.parse(read(name)))).toEqual([])
  const templates = names.filter((name) => name.endsWith('.template.json'))
  expect(templates.length).toBeGreaterThan(4)
  expect(templates.filter((name) => read(name).includes('AWS::CDK::Metadata'))).toEqual([])
})

it.each(environmentNames)(
  'the app has a stage %s with its data apart, and its name as a tag of each stack',
  (environment) => {
    const { artifacts } = JSON.parse(readFileSync(join(outdir, `assembly-${environment}/manifest.json`), 'utf8'))
    const stacks = Object.values<{ type: string; displayName: string; properties: { tags: unknown } }>(
      artifacts,
    ).filter(({ type }) => type === 'aws:cloudformation:stack')
    const names = ['api', 'data', 'reference'].map((stack) => `${environment}/${stack}`)
    expect(stacks.map(({ displayName }) => displayName).sort()).toEqual(names)
    for (const { properties } of stacks) expect(properties.tags).toEqual({ service: 'pet-adoption', environment })
  },
)

it('an assembly carries one bundle for each function', () => {
  const names = readdirSync(assemblyFolder(), { recursive: true, encoding: 'utf8' })
  // CDK's own functions come without a `package.json`.
  expect(names.filter((name) => /\basset\.[0-9a-f]{64}\/package\.json$/.test(name))).toHaveLength(
    functionNames().length,
  )
})
