import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { repositoryRoot } from '../../../../../infra/command-line/repository-root.ts'
import { describeAppError } from '../../../../../infra/local/synthesis/describe-app-error.ts'
import { findAssemblyFolder, synthesize, unmarkAssembly } from '../../../../../infra/local/synthesis/synthesize.ts'
import { readStacks } from '../../../../../infra/local/template/stacks.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

describe('two concurrent syntheses of the same code', () => {
  // Without bundles and assets, which would take most of the time. With the last value, no other run of these tests has
  // made the assembly already.
  const context = {
    'aws:cdk:bundling-stacks': [],
    'aws:cdk:disable-asset-staging': true,
    'aws:cdk:test': process.pid,
  }
  const folder = findAssemblyFolder(context)
  const unusedAssembly = join(dirname(folder), 'unused')
  let results: readonly string[] = []

  beforeAll(async () => {
    // The app refuses this Region, which an operator's shell may have.
    vi.stubEnv('AWS_REGION', 'cn-north-1')
    vi.stubEnv('CDK_DEFAULT_REGION', 'cn-north-1')
    mkdirSync(unusedAssembly, { recursive: true })

    results = await Promise.all([synthesize(context), synthesize(context)])
  })

  afterAll(() => unmarkAssembly(folder))

  it('two concurrent syntheses return the same whole assembly, whatever the Region of the shell', () => {
    expect(results).toEqual([folder, folder])
    expect(existsSync(join(folder, 'assembly-staging/manifest.json'))).toBe(true)
  })

  it('a synthesis for the local environment has no stack of the API reference', () => {
    const stackNames = readStacks(folder, 'staging').map(({ name }) => name)

    expect(stackNames.toSorted()).toEqual([
      'pet-adoption-staging-account',
      'pet-adoption-staging-api',
      'pet-adoption-staging-data',
    ])
  })

  it('a synthesis keeps an assembly that another process uses', () => {
    // The process of vitest uses the assembly of all tests.
    expect(existsSync(findAssemblyFolder())).toBe(true)
  })

  it('a synthesis removes an assembly that no process uses', () => {
    expect(existsSync(unusedAssembly)).toBe(false)
  })
})

describe('findAssemblyFolder', () => {
  /** Writes files into a project, and finds the folder of its assembly. */
  const findFolderWith = (project: string, files: Readonly<Record<string, string>>): string => {
    for (const [file, text] of Object.entries(files)) {
      const path = join(project, file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    return findAssemblyFolder({}, project)
  }

  it('findAssemblyFolder finds another folder after a file has changed', () => {
    const project = createTemporaryFolder()
    const before = findFolderWith(project, { 'shared/pet.ts': '1' })

    expect(findFolderWith(project, { 'shared/pet.ts': '2' })).not.toBe(before)
  })

  it.each(['infra/local/watch.ts', 'shared/README.md'])(
    'findAssemblyFolder finds the same folder after %s is added',
    (file) => {
      const project = createTemporaryFolder()
      const before = findFolderWith(project, { 'shared/pet.ts': '1' })

      expect(findFolderWith(project, { [file]: '1' })).toBe(before)
    },
  )

  // A link to itself can be read by nobody, not even by the user root, who may read a file without permissions.
  it('findAssemblyFolder reads a file that cannot be read as an empty one', () => {
    const project = createTemporaryFolder()
    const withEmptyFile = findFolderWith(project, { 'infra/link.ts': '' })
    rmSync(join(project, 'infra/link.ts'))

    symlinkSync('link.ts', join(project, 'infra/link.ts'))

    expect(findAssemblyFolder({}, project)).toBe(withEmptyFile)
  })
})

it('a failed synthesis throws the message of the app, and leaves no assembly', async () => {
  const context = { 'staging.release': 'never' }

  await expect(synthesize(context)).rejects.toThrow(/^The CDK app does not synthesize:\n-c sets staging\.release/)

  expect(existsSync(findAssemblyFolder(context))).toBe(false)
})

it('an error of the CDK is described with the line of the repository that caused it', () => {
  const error = new Error('Durations cannot be negative.')
  const root = pathToFileURL(repositoryRoot).href
  error.stack = [
    `Error: ${error.message}`,
    `    at Duration.seconds (${root}node_modules/aws-cdk-lib/core/lib/duration.js:1:700)`,
    '    ...Duration.seconds in aws-cdk-lib...',
    `    at ${root}infra/app.ts:5:2`,
    '    at ModuleJob.run (node:internal/modules/esm/module_job:553:5)',
    '    ...node internals...',
  ].join('\n')

  expect(describeAppError(error)).toBe('Error: Durations cannot be negative.\n    at infra/app.ts:5:2')
})
