import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { shouldSkipWithout } from '../../../../fixtures/size.ts'

const runFile = promisify(execFile)

/** Programs for the examples. CI names programs of the oldest versions that the examples and the packages support. */
export const {
  NODE_FOR_EXAMPLES: node = process.execPath,
  NODE_FOR_PACKAGES: nodeForPackages = process.execPath,
  PYTHON_FOR_EXAMPLES: python = 'python3',
} = process.env

/** Environment of a program: no proxy for the servers of this machine, and no compiled files in the tree. */
export const quietEnvironment = {
  ...process.env,
  PYTHONDONTWRITEBYTECODE: '1',
  NO_PROXY: '*',
  no_proxy: '*',
}

const canRun = (program: string, programArguments: readonly string[]): boolean => {
  const { status } = spawnSync(program, programArguments, { stdio: 'ignore' })
  const command = programArguments.join(' ')
  const reason = `Not all clients and examples are tested: there is no ${program} that can run ${command}.`
  return !shouldSkipWithout(status === 0, reason)
}

export const hasPython = (): boolean => canRun(python, ['-c', 'import sys; assert sys.version_info >= (3, 9)'])

export const hasPip = (): boolean => canRun(python, ['-c', 'import pip'])

export const hasBash = (): boolean => canRun('bash', ['-c', 'true'])

export const hasCurl = (): boolean => canRun('bash', ['-c', 'curl --version'])

/**
 * Runs a program to its end.
 *
 * @param variables environment variables in addition to those of this process
 * @returns its output
 * @throws Error with the output for errors, if the exit code is not 0
 */
export const runProgram = async (
  program: string,
  programArguments: readonly string[],
  workingFolder = '.',
  variables: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const { stdout } = await runFile(program, programArguments, {
    cwd: workingFolder,
    env: { ...quietEnvironment, ...variables },
    timeout: 300_000,
  })
  return stdout
}

/** Runs a curl command in a shell. @returns its output */
export const runCurl = (command: string): Promise<string> => runProgram('bash', ['-c', command])
