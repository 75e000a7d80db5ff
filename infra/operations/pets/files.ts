import { randomBytes } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { UserError } from '../../command-line/user-error.ts'

/** Returns the size of a file in bytes, if it has one: a pipe has none. */
export const findFileSize = (file: string): number | undefined =>
  statSync(file, { throwIfNoEntry: false })?.size || undefined

/**
 * Reads a file of any size.
 *
 * @throws UserError if the file cannot be read
 */
export async function* readFileInChunks(file: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file, { signal })
  } catch (error) {
    if (signal.aborted || !isSystemError(error)) throw error
    throw new UserError(`${file} is no file that can be read (${error.code}).`)
  }
}

export const doesFileExist = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined

/**
 * Writes a new file. The file appears once it is complete, and never replaces another one. A command that is killed
 * leaves a file that ends in `.unfinished`.
 *
 * @param beforePublishing runs when the file is complete, just before it appears
 * @throws UserError if the file exists, or cannot be written
 */
export const writeNewFile = async (
  file: string,
  text: NodeJS.ReadableStream,
  signal: AbortSignal,
  beforePublishing: () => void = () => undefined,
): Promise<void> => {
  try {
    requireNewFile(file)
    using unfinished = createUnfinishedFile(file)
    await pipeline(text, createWriteStream(unfinished.path, { fd: unfinished.descriptor, flush: true }), { signal })
    beforePublishing()
    publish(unfinished.path, file)
  } catch (error) {
    throw explainFileError(error, file)
  }
}

/** Characters that the name of an unfinished file keeps. With four bytes each they leave room for its ending. */
const keptNameLength = 50

/** Creates a file beside another one, which gets its text first. Disposing of it deletes the file. */
const createUnfinishedFile = (file: string) => {
  const name = basename(file).slice(0, keptNameLength)
  const path = join(dirname(file), `${name}.${randomBytes(4).toString('hex')}.unfinished`)
  return {
    path,
    descriptor: openSync(path, 'wx'),
    [Symbol.dispose]: () => rmSync(path, { force: true }),
  }
}

/** Gives a complete file its name in one step, unless another file has the name. */
const publish = (unfinished: string, file: string): void => {
  try {
    linkSync(unfinished, file)
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST') throw error
    // This file system has no links. A rename replaces a file, so look once more.
    requireNewFile(file)
    renameSync(unfinished, file)
  }
}

/** @throws UserError if the file exists */
export const requireNewFile = (file: string): void => {
  if (doesFileExist(file)) throw new UserError(describeExistingFile(file))
}

/** Turns a file system error into a message for the operator. Other errors pass unchanged, as does a full disk. */
const explainFileError = (error: unknown, file: string): unknown => {
  // Errors of the source of the text, such as those of DynamoDB, have no path.
  if (!isSystemError(error) || !('path' in error) || error.code === 'ENOSPC') return error
  if (error.code === 'EEXIST') return new UserError(describeExistingFile(file))
  const folder = dirname(file)
  if (error.code === 'ENOENT' && !doesFileExist(folder)) return new UserError(`The folder ${folder} does not exist.`)
  return new UserError(`${file} cannot be written (${error.code}).`)
}

const describeExistingFile = (file: string): string => `${file} exists. Name another file.`

const isSystemError = (error: unknown): error is Error & { readonly code: unknown } =>
  error instanceof Error && 'code' in error
