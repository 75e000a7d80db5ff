import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from '../fixtures/machine/temporary-folder.ts'

/** Programs of the image: the shell programs that the SAM CLI runs while it adds its own layer, and Node. */
const programs = ['/bin/sh', '/bin/mv', '/bin/chmod', process.execPath]

/**
 * Makes an image that the SAM CLI accepts as Lambda's. It has the runtime of `bootstrap.ts`, the programs, and their
 * libraries, at the paths that they have on this machine. No registry is needed.
 */
export const makeRuntimeImage = (image: string): void => {
  const folder = createTemporaryFolder()
  for (const path of ['tmp', 'var/task', 'var/runtime']) mkdirSync(join(folder, path), { recursive: true })
  const runtime = join(folder, 'var/runtime/bootstrap')
  copyFileSync(new URL('./bootstrap.ts', import.meta.url), `${runtime}.ts`)
  writeFileSync(runtime, `#!/bin/sh\nexec ${process.execPath} /var/runtime/bootstrap.ts\n`, { mode: 0o755 })

  const files = new Set([...programs, ...findLibraries(), '/etc/passwd'])
  const archive = join(folder, 'root.tar')
  // -h: the archive has the target of a symbolic link under the name of the link.
  execFileSync('tar', ['-chPf', archive, '-C', folder, 'tmp', 'var', ...files])
  execFileSync('docker', ['import', archive, image], { stdio: 'ignore' })
}

const findLibraries = (): readonly string[] => {
  const listed = execFileSync('ldd', programs, { encoding: 'utf8' })
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, library = '']) => library)
}

/**
 * Removes the images of a repository: the image of `makeRuntimeImage`, and the image that SAM builds on it. A failure
 * is only printed, because the tests of `npm run sam` may have passed.
 */
export const removeRuntimeImages = (repository: string): void => {
  try {
    const listed = execFileSync('docker', ['images', '--quiet', repository], { encoding: 'utf8' })
    const ids = new Set(listed.split('\n').filter((id) => id !== ''))
    // Piped, so that a failure's message contains what Docker printed.
    if (ids.size > 0) execFileSync('docker', ['rmi', '--force', ...ids], { stdio: 'pipe' })
  } catch (error) {
    console.warn(`The images of ${repository} are left in Docker, because they could not be removed.`, error)
  }
}
