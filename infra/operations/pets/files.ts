import { randomBytes } from 'node:crypto'
import { closeSync, createWriteStream, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { UserError } from '../../command-line/user-error.ts'

/** The whole path of a file that an operator names. npm runs the command in the project's folder, not in the operator's. */
export const resolveAbsolutePath = (file: string): string => resolve(process.env['INIT_CWD'] ?? '', file)

/** @throws UserError where it cannot be read */
export const readWhole = (file: string, signal: AbortSignal): Promise<Buffer> =>
  readFile(file, { signal }).catch((error) => {
    throw signal.aborted ? error : new UserError(`${file} is no file that can be read (${error.code}).`)
  })

/**
 * Writes a file that appears when it is complete, and replaces none. A command that is killed leaves an unfinished one.
 *
 * @throws UserError where it exists, or cannot be written
 */
export const writeWhole = async (file: string, text: NodeJS.ReadableStream, signal: AbortSignal): Promise<void> => {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.unfinished`
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw existsAlready(file)
    await pipeline(text, createWriteStream(unfinished, { fd: openSync(unfinished, 'wx'), flush: true }), { signal })
    // Claims the name, which another command may have taken meanwhile. Not all disks have links, which would do both at once.
    closeSync(openSync(file, 'wx'))
    renameSync(unfinished, file)
  } catch (error) {
    throw explained(error, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

const existsAlready = (file: string): UserError => new UserError(`${file} exists. Name another file.`)

/** An error about the path of the file, which is none of the text, as a sentence. */
const explained = (error: unknown, file: string): unknown => {
  if (!(error instanceof Error && 'path' in error && 'code' in error) || error.code === 'ENOSPC') return error
  if (error.code === 'EEXIST') return existsAlready(file)
  if (error.code === 'ENOENT') return new UserError(`The folder ${dirname(file)} does not exist.`)
  return new UserError(`${file} cannot be written (${error.code}).`)
}
