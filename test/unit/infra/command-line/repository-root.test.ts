import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { chooseBuildFolder } from '../../../../infra/command-line/repository-root.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

it('a project that can be written keeps what it builds', () => {
  const project = createTemporaryFolder()

  expect(chooseBuildFolder(project)).toBe(join(project, '.build'))
})

it('what a project that cannot be written builds is in the temporary folder', () => {
  const missingProject = join(createTemporaryFolder(), 'missing')

  expect(dirname(chooseBuildFolder(missingProject))).toBe(tmpdir())
})
