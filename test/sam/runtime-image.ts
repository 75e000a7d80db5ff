import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts'

/**
 * Makes an image that the SAM CLI takes for Lambda's, at the paths of this machine: Node with the runtime, what the CLI's
 * own layer runs while it is built, and the libraries of both. No registry is needed, and an image of the user stays
 * as it is.
 */
export const makeRuntimeImage = (image: string): void => {
  const folder = createTemporaryFolder()
  for (const path of ['tmp', 'var/task', 'var/runtime']) mkdirSync(join(folder, path), { recursive: true })
  const runtime = join(folder, 'var/runtime/bootstrap')
  copyFileSync(new URL('./bootstrap.ts', import.meta.url), `${runtime}.ts`)
  writeFileSync(runtime, `#!/bin/sh\nexec ${process.execPath} /var/runtime/bootstrap.ts\n`, { mode: 0o755 })
  const programs = ['/bin/sh', '/bin/mv', '/bin/chmod', process.execPath]
  const libraries = execFileSync('ldd', programs, { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)
  const files = new Set([...programs, ...[...libraries].map(([, library = '']) => library), '/etc/passwd'])
  const archive = join(folder, 'root.tar')
  // What a symbolic link leads to has the name of the link.
  execFileSync('tar', ['-chPf', archive, '-C', folder, 'tmp', 'var', ...files])
  execFileSync('docker', ['import', archive, image], { stdio: 'ignore' })
}

/** Removes it, and the one that SAM makes of it. */
export const removeRuntimeImages = (repository: string): void => {
  const ours = execFileSync('docker', ['images', '--quiet', repository], { encoding: 'utf8' }).trim().split('\n')
  execFileSync('docker', ['rmi', '--force', ...new Set(ours)], { stdio: 'ignore' })
}
