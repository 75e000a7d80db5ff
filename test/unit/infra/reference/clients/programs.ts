import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { shouldSkipWithout } from '../../../../fixtures/size.ts'

/** Whether a program runs on this machine. */
const canRun = (program: string, ...words: readonly string[]): boolean =>
  !shouldSkipWithout(
    spawnSync(program, words, { stdio: 'ignore' }).status === 0,
    `Not all clients and examples are tested: there is no ${program} that can run ${words.join(' ')}.`,
  )

/** CI names programs of the least versions that the examples tell. */
export const { NODE_FOR_EXAMPLES: node = process.execPath, PYTHON_FOR_EXAMPLES: python = 'python3' } = process.env

export const hasPython = (): boolean =>
  canRun(python, '-c', 'import sys; import requests; assert sys.version_info >= (3, 9)')

/** No proxy stands before this machine's own servers, and no compiled files are left in the tree. */
export const quietEnvironment = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '*', no_proxy: '*' }

/** @returns what a program writes. @throws Error with its errors, when it fails */
export const runProgram = async (program: string, words: readonly string[], cwd = '.'): Promise<string> =>
  (await promisify(execFile)(program, words, { cwd, env: quietEnvironment, timeout: 300_000 })).stdout

export const hasCurl = (): boolean => canRun('bash', '-c', 'curl --version')

export const runCurl = (line: string): Promise<string> => runProgram('bash', ['-c', line])
