import { execFileSync, spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { makeRuntimeImage } from './runtime-image.ts'

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
  makeRuntimeImage(image)
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
