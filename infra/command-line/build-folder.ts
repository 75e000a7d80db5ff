import { createHash } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from './repository-root.ts'

/**
 * Chooses the folder that keeps what is built from the code of a project: `.build` or, if the project is read-only, a
 * folder in this machine's temporary folder.
 */
export const chooseBuildFolder = (projectFolder: string): string => {
  try {
    accessSync(projectFolder, constants.W_OK)
    return join(projectFolder, '.build')
  } catch {
    const projectHash = createHash('sha256').update(projectFolder).digest('hex').slice(0, 16)
    return join(tmpdir(), `pet-adoption-build-${projectHash}`)
  }
}

/** The folder that keeps what is built from the code of this project. */
export const buildFolder = chooseBuildFolder(repositoryRoot)
