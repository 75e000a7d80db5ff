import { randomBytes } from 'node:crypto'
import { closeSync, createWriteStream, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { UserError } from '../../command-line/user-error.ts'

/** @throws UserError if the file cannot be read */
export const readWholeFile = async (file: string, signal: AbortSignal): Promise<Buffer> => {
  try {
    return await readFile(file, { signal })
  } catch (error) {
    if (signal.aborted || !isSystemError(error)) throw error
    throw new UserError(`${file} is no file that can be read (${error.code}).`)
  }
}

/**
 * Writes a new file. The file appears once it is complete, and never replaces another one. A command that is killed
 * leaves a file that ends in `.unfinished`.
 *
 * @throws UserError if the file exists, or cannot be written
 */
export const writeNewFile = async (file: string, text: NodeJS.ReadableStream, signal: AbortSignal): Promise<void> => {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.unfinished`
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw new UserError(describeExistingFile(file))
    await pipeline(text, createWriteStream(unfinished, { fd: openSync(unfinished, 'wx'), flush: true }), { signal })

    // Fails if another command has taken the name meanwhile. A hard link would claim the name and give it the
    // content in one step, but not all file systems have links.
    closeSync(openSync(file, 'wx'))
    renameSync(unfinished, file)
  } catch (error) {
    throw explainFileError(error, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** Turns a file system error into a message for the operator. Other errors pass unchanged, as does a full disk. */
const explainFileError = (error: unknown, file: string): unknown => {
  // Errors of the source of the text, such as those of DynamoDB, have no path.
  if (!isSystemError(error) || !('path' in error) || error.code === 'ENOSPC') return error
  if (error.code === 'EEXIST') return new UserError(describeExistingFile(file))
  if (error.code === 'ENOENT') return new UserError(`The folder ${dirname(file)} does not exist.`)
  return new UserError(`${file} cannot be written (${error.code}).`)
}

const describeExistingFile = (file: string): string => `${file} exists. Name another file.`

const isSystemError = (error: unknown): error is Error & { readonly code: unknown } =>
  error instanceof Error && 'code' in error
