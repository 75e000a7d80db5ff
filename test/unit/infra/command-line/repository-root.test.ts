import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { chooseBuildFolder } from '../../../../infra/command-line/repository-root.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

it('a project whose folder can be written keeps there what it builds', () => {
  const project = createTemporaryFolder()

  expect(chooseBuildFolder(project)).toBe(join(project, '.build'))
})

it('a project whose folder cannot be written keeps in the temporary folder what it builds', () => {
  const missingProject = join(createTemporaryFolder(), 'missing')

  expect(dirname(chooseBuildFolder(missingProject))).toBe(tmpdir())
})
