import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { findAssemblyFolder, releaseAssembly, synthesize } from '../../../infra/synthesis/synthesize.ts'
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts'

it('Two that synthesize the same at once get one whole assembly, for any Region of the shell, and remove only what is unused', async () => {
  // The app refuses to synthesize for it.
  for (const name of ['AWS_REGION', 'CDK_DEFAULT_REGION']) vi.stubEnv(name, 'cn-north-1')
  // Of no bundle or asset, so that it takes little.
  const cheap = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true }
  const context = { ...cheap, 'aws:cdk:test': process.pid }
  const folder = findAssemblyFolder(context)
  onTestFinished(() => releaseAssembly(folder))
  const unused = join(dirname(folder), 'unused')
  mkdirSync(unused, { recursive: true })
  expect(await Promise.all([synthesize(context), synthesize(context)])).toEqual([folder, folder])
  // The process of vitest uses the one of all tests.
  const paths = [join(folder, 'assembly-staging/manifest.json'), findAssemblyFolder(), unused]
  expect(paths.map((path) => existsSync(path))).toEqual([true, true, false])
})

it('An assembly is another one for each change of a source, and the same for what no template has', () => {
  const project = createTemporaryFolder()
  for (const folder of ['shared', 'infra/local']) mkdirSync(join(project, folder), { recursive: true })
  const folderWith = (file: string, text: string): string => {
    writeFileSync(join(project, file), text)
    return findAssemblyFolder({}, project)
  }
  const none = findAssemblyFolder({}, project)
  const one = folderWith('shared/pet.ts', '1')
  const folders = [none, one, folderWith('shared/pet.ts', '2'), folderWith('shared/pets.ts', '2')]
  expect(new Set(folders).size).toBe(4)
  expect(folderWith('infra/local/watch.ts', '1')).toBe(folders.at(-1))
  expect(folderWith('shared/README.md', '1')).toBe(folders.at(-1))
  rmSync(join(project, 'shared/pets.ts'))
  expect(folderWith('shared/pet.ts', '1')).toBe(one)
})

it('A failed synthesis says why, and leaves nothing behind', async () => {
  const broken = { 'staging.release': 'never' }
  await expect(synthesize(broken)).rejects.toThrow(/^The CDK app does not synthesize:\n-c sets staging\.release/)
  expect(existsSync(findAssemblyFolder(broken))).toBe(false)
})
