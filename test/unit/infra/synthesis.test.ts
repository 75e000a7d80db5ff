import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { assemblyFolder, releaseAssembly, synthesize } from '../../../infra/synthesis/synthesize.ts'
import { temporaryFolder } from './local/fixtures.ts'

const project = temporaryFolder()

// Of no bundle or asset, so that it takes little.
const contextOf = (test: string) => ({
  ...{ 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true },
  'aws:cdk:test': `${test} ${process.pid}`,
})
const [first, second] = [contextOf('first'), contextOf('second')]

afterAll(() => {
  for (const context of [first, second]) releaseAssembly(assemblyFolder(context))
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
  // The process of vitest uses the one of all tests.
  const folders = [undefined, first, second].map((context) => assemblyFolder(context))
  releaseAssembly(assemblyFolder(first))
  await synthesize(second)
  expect(folders.map((folder) => existsSync(folder))).toEqual([true, false, true])
})

it('An assembly is another one for each change of a source, and the same for what no template has', () => {
  for (const folder of ['shared', 'infra/local']) mkdirSync(join(project, folder), { recursive: true })
  const folderWith = (file: string, text: string | undefined): string => {
    if (text === undefined) rmSync(join(project, file))
    else writeFileSync(join(project, file), text)
    return assemblyFolder({}, project)
  }
  const none = assemblyFolder({}, project)
  const one = folderWith('shared/pet.ts', '1')
  const folders = [none, one, folderWith('shared/pet.ts', '2'), folderWith('shared/pets.ts', '2')]
  expect(new Set(folders).size).toBe(4)
  expect(folderWith('infra/local/watch.ts', '1')).toBe(folders.at(-1))
  expect(folderWith('shared/README.md', '1')).toBe(folders.at(-1))
  folderWith('shared/pets.ts', undefined)
  expect(folderWith('shared/pet.ts', '1')).toBe(one)
})

it('A failed synthesis says why, and leaves nothing behind', async () => {
  const broken = { 'staging.release': 'never' }
  await expect(synthesize(broken)).rejects.toThrow(/^The CDK app does not synthesize:\n-c sets staging\.release/)
  expect(existsSync(assemblyFolder(broken))).toBe(false)
})
