import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** What the SAM CLI's own layer runs while it is built, and what starts the runtime. */
const programs = ['/bin/sh', '/bin/mv', '/bin/chmod']

/**
 * Makes an image that the SAM CLI takes for Lambda's: Node and these programs of this machine, and the runtime. No
 * registry is needed, and an image of the user stays as it is.
 *
 * @param name of the image, with its tag
 */
export const makeRuntimeImage = (name: string): void => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-image-'))
  try {
    const root = join(folder, 'root')
    for (const path of ['bin', 'etc', 'tmp', 'var/task', 'var/runtime'])
      mkdirSync(join(root, path), { recursive: true })
    copyWithLibraries(process.execPath, root, 'node')
    for (const program of programs) copyWithLibraries(program, root, basename(program))
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\n')
    copyFileSync(new URL('./bootstrap.ts', import.meta.url), join(root, 'var/runtime/bootstrap.ts'))
    writeFileSync(join(root, 'var/runtime/bootstrap'), '#!/bin/sh\nexec /bin/node /var/runtime/bootstrap.ts\n')
    chmodSync(join(root, 'var/runtime/bootstrap'), 0o755)
    const archive = join(folder, 'root.tar')
    execFileSync('tar', ['-C', root, '-cf', archive, '.'])
    const changes = ['WORKDIR /var/task', 'ENV LAMBDA_TASK_ROOT=/var/task'].flatMap((change) => ['--change', change])
    execFileSync('docker', ['import', ...changes, archive, name], { stdio: 'ignore' })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A program, and each library at the path where the dynamic linker looks for it. */
const copyWithLibraries = (program: string, root: string, name: string): void => {
  copyFileSync(realpathSync(program), join(root, 'bin', name))
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)
  for (const [, library = ''] of libraries) {
    const copy = join(root, library)
    if (existsSync(copy)) continue
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(realpathSync(library), copy)
  }
}
