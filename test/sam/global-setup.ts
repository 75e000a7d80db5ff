import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { skips, skipsWithout } from '../fixtures/size.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The name of the image that containers run; `null` where these tests are skipped. */
    readonly runtimeImage: string | null
  }
}

const image = `pet-adoption-lambda:test-${process.pid}`

/** Makes the image for the tests, and removes it with the one that SAM makes of it. */
export default (project: TestProject): (() => void) | undefined => {
  // There is no `env` where no variable is set, whatever its type says.
  const isFull = project.config.env?.['TEST_SIZE'] === 'full'
  const isSkipped =
    skips(!isFull, 'npm run sam is not tested: it takes minutes; "npm run test:all" tests it.') ||
    skipsWithout(isPossible(), 'npm run sam is not tested: it needs Linux, Docker and the SAM CLI.')
  project.provide('runtimeImage', isSkipped ? null : image)
  if (isSkipped) return undefined
  makeRuntimeImage()
  return () => {
    const images = execFileSync('docker', ['images', '--format', '{{.Repository}}:{{.Tag}}'], { encoding: 'utf8' })
    const ours = images.split('\n').filter((name) => name.startsWith('pet-adoption-lambda:'))
    execFileSync('docker', ['rmi', '--force', ...ours], { stdio: 'ignore' })
  }
}

/** The image is made of programs for Linux. */
const isPossible = (): boolean =>
  process.platform === 'linux' &&
  spawnSync('docker', ['ps']).status === 0 &&
  spawnSync('sam', ['--version']).status === 0

/**
 * Makes an image that the SAM CLI takes for Lambda's, at the paths of this machine: Node with the runtime, what the CLI's
 * own layer runs while it is built, and the libraries of both. No registry is needed, and an image of the user stays
 * as it is.
 */
const makeRuntimeImage = (): void => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-image-'))
  try {
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
  } finally {
    rmSync(folder, { recursive: true })
  }
}
