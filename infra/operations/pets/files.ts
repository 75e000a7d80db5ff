import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  createWriteStream,
  existsSync,
  fchmodSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { UserError } from '../../command-line/user-error.ts'

/** The whole path of a file that an operator names. npm runs the command in the project's folder, not in the operator's. */
export const wholePath = (file: string): string => resolve(process.env['INIT_CWD'] ?? '', file)

/** @throws UserError where it cannot be read */
export const readWhole = (file: string, signal: AbortSignal): Promise<Buffer> =>
  readFile(file, { signal }).catch((error) => {
    throw signal.aborted ? error : new UserError(`${file} is no file that can be read (${error.code}).`)
  })

/**
 * Writes a file that appears when it is complete. A command that is killed leaves an unfinished one behind, which the next
 * that writes the file removes.
 *
 * @param text is not read before the file can be written
 * @param replaces whether it may replace a file
 * @throws UserError where it exists and may not be replaced, or cannot be written
 */
export const writeWhole = async (
  file: string,
  text: NodeJS.ReadableStream,
  { replaces, signal }: { readonly replaces: boolean; readonly signal: AbortSignal },
): Promise<void> => {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.unfinished`
  try {
    const mode = checkExisting(file, replaces)
    removeUnfinished(file)
    const fd = openSync(unfinished, 'wx', mode)
    if (mode !== undefined) fchmodSync(fd, mode)
    await pipeline(text, createWriteStream(unfinished, { fd, flush: true }), { signal })
    // A link, unlike a new name, never replaces a file that somebody else has written meanwhile.
    if (replaces) renameSync(unfinished, file)
    else linkSync(unfinished, file)
  } catch (error) {
    throw explained(error, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** @returns the mode of the file that will be replaced; undefined where there is none */
const checkExisting = (file: string, replaces: boolean): number | undefined => {
  const existing = lstatSync(file, { throwIfNoEntry: false })
  if (existing === undefined) return undefined
  if (!replaces) throw existsAlready(file)
  if (!existing.isFile()) throw new UserError(`${file} is a link, a folder or a device. Name a file.`)
  accessSync(file, constants.W_OK)
  return existing.mode & 0o7777
}

const removeUnfinished = (file: string): void => {
  for (const name of readdirSync(dirname(file))) {
    const [, of] = /^(.*)\.[0-9a-f]{8}\.unfinished$/s.exec(name) ?? []
    if (of === basename(file)) rmSync(join(dirname(file), name))
  }
}

const existsAlready = (file: string): UserError => new UserError(`${file} exists. Name another file.`)

/** An error about the path of the file, which is none of the text, as a sentence. */
const explained = (error: unknown, file: string): unknown => {
  if (!(error instanceof Error && 'path' in error && 'code' in error) || error.code === 'ENOSPC') return error
  if (error.code === 'EEXIST') return existsAlready(file)
  if (error.code !== 'ENOENT') return new UserError(`${file} cannot be written (${error.code}).`)
  if (!existsSync(dirname(file))) return new UserError(`The folder ${dirname(file)} does not exist.`)
  return new UserError(`Another command has begun to write ${file}, so this one has not written it.`)
}
