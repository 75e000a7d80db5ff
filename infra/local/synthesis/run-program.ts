import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { repositoryRoot } from '../../command-line/repository-root.ts'
import { UserError } from '../../command-line/user-error.ts'

/**
 * Runs a program of the repository in a process of its own. A process that keeps running loads its code only once.
 *
 * @throws UserError with the text that the program printed, when it fails
 */
export const runProgram = async (file: string, env: NodeJS.ProcessEnv = process.env): Promise<void> => {
  const program = promisify(execFile)(process.execPath, [file], { cwd: repositoryRoot, env })
  await program.catch(({ stderr, message }: { readonly stderr: string; readonly message: string }) => {
    throw new UserError(stderr.trim() || message)
  })
}
