import { existsSync } from 'node:fs'
import { afterAll, expect, it, vi } from 'vitest'
import { assemblyFolder, releaseAssembly, synthesize } from '../../../infra/synthesis/synthesize.ts'

// Of no bundle or asset, so that it takes little.
const withoutAssets = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true }
const first = { context: { ...withoutAssets, 'aws:cdk:test': `first ${process.pid}` } }
const second = { context: { ...withoutAssets, 'aws:cdk:test': `second ${process.pid}` } }

afterAll(() => {
  for (const options of [first, second]) releaseAssembly(assemblyFolder(options))
  vi.unstubAllEnvs()
})

it('Two that synthesize the same at once get one whole assembly, whatever the Region of the shell is', async () => {
  // The app refuses to synthesize for it.
  for (const name of ['AWS_REGION', 'CDK_DEFAULT_REGION']) vi.stubEnv(name, 'cn-north-1')
  const folder = assemblyFolder(first)
  expect(await Promise.all([synthesize(first), synthesize(first)])).toEqual([folder, folder])
  expect(existsSync(`${folder}/assembly-staging/manifest.json`)).toBe(true)
})

it('A synthesis leaves the assemblies that are in use, and removes those that are not', async () => {
  await synthesize(second)
  expect([first, second].map((options) => existsSync(assemblyFolder(options)))).toEqual([true, true])
  releaseAssembly(assemblyFolder(first))
  const third = { context: { ...withoutAssets, 'aws:cdk:test': `third ${process.pid}` } }
  await synthesize(third)
  expect([first, second, third].map((options) => existsSync(assemblyFolder(options)))).toEqual([false, true, true])
  releaseAssembly(assemblyFolder(third))
})

it('A failed synthesis says why, and leaves nothing behind', async () => {
  const broken = { environment: 'production', context: { 'production.release': 'never' } } as const
  await expect(synthesize(broken)).rejects.toThrow('The CDK app does not synthesize:')
  expect(existsSync(assemblyFolder(broken))).toBe(false)
})
