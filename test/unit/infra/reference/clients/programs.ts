import { execFile, spawnSync } from 'node:child_process'
import { skipsWithout } from '../../../../fixtures/size.ts'

/** Whether a program runs on this machine. */
export const isFound = (program: string, ...words: readonly string[]): boolean => {
  const isThere = spawnSync(program, words, { stdio: 'ignore' }).status === 0
  return !skipsWithout(
    isThere,
    `Not all clients and examples are tested: there is no ${program} that can run ${words.join(' ')}.`,
  )
}

/** CI names programs of the least versions that the examples tell. */
export const { NODE_FOR_EXAMPLES: node = process.execPath, PYTHON_FOR_EXAMPLES: python = 'python3' } = process.env

export const hasPython = (): boolean =>
  isFound(python, '-c', 'import sys; import requests; assert sys.version_info >= (3, 9)')

/** No proxy stands before this machine's own servers, and no compiled files are left in the tree. */
export const quietEnvironment = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '*', no_proxy: '*' }

export interface RunOptions {
  readonly folder: string
  readonly environment?: Readonly<Record<string, string>>
}

/** What a program writes. Its errors go where it writes, and fail the test with all of it. */
export const run = (program: string, words: readonly string[], { folder, environment }: RunOptions): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { ...quietEnvironment, ...environment }
    execFile(program, [...words], { cwd: folder, env, timeout: 300_000 }, (error, output, errors) => {
      if (error === null) resolve(output)
      else reject(new Error(`${program} failed:\n${output}${errors}`))
    })
  })
