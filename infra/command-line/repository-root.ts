/** Folders of this project. */
import { createHash } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Path of the folder with package.json, with a separator at its end. */
export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))

/** Chooses where a project keeps what is built from its code: in `.build` or, if it is read-only, outside of it. */
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
