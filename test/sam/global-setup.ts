import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

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
  const missing = isFull ? findMissing() : 'they take minutes; "npm run test:all" runs them.'
  project.provide('runtimeImage', missing === undefined ? image : null)
  if (missing !== undefined) {
    console.log(`The tests of "npm run sam" are skipped: ${missing}`)
    return undefined
  }
  makeRuntimeImage()
  return () => {
    const images = execFileSync('docker', ['images', '--format', '{{.Repository}}:{{.Tag}}'], { encoding: 'utf8' })
    const ours = images.split('\n').filter((name) => name.startsWith('pet-adoption-lambda:'))
    execFileSync('docker', ['rmi', '--force', ...ours], { stdio: 'ignore' })
  }
}

/** In continuous integration nothing is skipped unseen. */
const findMissing = (): string | undefined => {
  const missing = [
    ...(process.platform === 'linux' ? [] : ['the image is made of programs for Linux']),
    ...(spawnSync('docker', ['ps']).status === 0 ? [] : ['Docker does not respond']),
    ...(spawnSync('sam', ['--version']).status === 0 ? [] : ['the SAM CLI is not on the PATH']),
  ].join(', and ')
  if (missing !== '' && process.env['CI'] !== undefined)
    throw new Error(`The tests of "npm run sam" cannot run: ${missing}.`)
  return missing === '' ? undefined : `${missing}.`
}

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
