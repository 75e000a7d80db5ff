import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { UserError } from '../command-line/user-error.ts'

const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Writes the generated sources, like `npm run generate`. It runs in a process of its own, because a process that keeps
 * running loads the contract only once.
 *
 * @throws UserError with the text that it printed, when the contract cannot be served
 */
export const generateSources = async (): Promise<void> => {
  const generation = promisify(execFile)(process.execPath, ['infra/contract/generate.ts'], { cwd: repositoryRoot })
  await generation.catch(({ stderr, message }: { readonly stderr: string; readonly message: string }) => {
    throw new UserError(stderr.trim() || message)
  })
}
