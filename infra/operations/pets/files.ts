import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { UserError } from '../../command-line/user-error.ts'

/** The whole path of a file that an operator names. npm runs the command in the project's folder, not in the operator's. */
export const wholePath = (file: string): string => resolve(process.env['INIT_CWD'] ?? '', file)

/** A folder that is removed with what is in it. */
export const temporaryFolder = (): { readonly path: string } & Disposable => {
  const path = mkdtempSync(join(tmpdir(), 'pet-adoption-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Copies a file, or standard input for `-`: it may change while it is imported. */
export const copyInput = async (from: string, to: string, signal: AbortSignal): Promise<void> => {
  try {
    await pipeline(from === '-' ? process.stdin : createReadStream(from), createWriteStream(to), { signal })
  } catch (error) {
    throw codeOf(error) === 'ENOENT' || codeOf(error) === 'EISDIR' || codeOf(error) === 'EACCES'
      ? new UserError(`${from} is no file that can be read (${codeOf(error)}).`)
      : error
  }
}

/** A file that a command is going to write. It appears when it is complete; without that nothing is left behind. */
interface OutputFile extends Disposable {
  readonly path: string
  write(text: NodeJS.ReadableStream, signal: AbortSignal): Promise<void>
}

/**
 * Claims a file before the work whose result goes there.
 *
 * @param replaces whether it may replace a file
 * @throws UserError where it exists and may not be replaced, or cannot be written
 */
export const claimOutput = (path: string, { replaces }: { readonly replaces: boolean }): OutputFile => {
  const mode = checkExisting(path, replaces)
  const unfinished = `${path}.${randomBytes(4).toString('hex')}.unfinished`
  explained(path, () => closeSync(openSync(unfinished, 'wx', mode)))
  if (mode !== undefined) chmodSync(unfinished, mode)
  return {
    path,
    write: async (text, signal) => {
      await pipeline(text, createWriteStream(unfinished, { flush: true }), { signal })
      checkExisting(path, replaces)
      // A link, unlike a new name, never replaces a file that somebody else has written meanwhile.
      explained(path, () => (replaces ? renameSync(unfinished, path) : linkSync(unfinished, path)))
    },
    [Symbol.dispose]: () => rmSync(unfinished, { force: true }),
  }
}

/** @returns the mode of the file that will be replaced; undefined where there is none */
const checkExisting = (path: string, replaces: boolean): number | undefined => {
  const existing = explained(path, () => lstatSync(path, { throwIfNoEntry: false }))
  if (existing === undefined) return undefined
  if (!replaces) throw existsAlready(path)
  if (!existing.isFile()) throw new UserError(`${path} is a link, a folder or a device. Name a file.`)
  explained(path, () => accessSync(path, constants.W_OK))
  return existing.mode & 0o7777
}

const existsAlready = (path: string): UserError => new UserError(`${path} exists. Name another file.`)

const explained = <Result>(path: string, call: () => Result): Result => {
  try {
    return call()
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw existsAlready(path)
    if (codeOf(error) === 'ENOENT') throw new UserError(`The folder ${dirname(path)} does not exist.`)
    throw new UserError(`${path} cannot be written (${codeOf(error)}).`)
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
