/** Reading files that operators name, and refusing them. */
import { createReadStream } from 'node:fs'
import { exitCodes, UserError } from '../../command-line/user-error.ts'

/** Maximum number of mistakes that a refusal shows. */
const maximumMistakes = 100

/** A file that is refused as a whole, before anything is changed. */
export class RefusedFileError extends UserError {
  override readonly name: string = 'RefusedFileError'

  /**
   * @example new RefusedFileError('elm-street', ['the file is empty.'])
   *
   * @param subject the name of the shelter or the path of the file. Each line of the message begins with it: the mail
   * of a nightly run names the file nowhere else
   * @param mistakes sentences that say what to change
   */
  constructor(subject: string, mistakes: readonly string[]) {
    const lines = mistakes.slice(0, maximumMistakes).map((mistake) => `${subject}: ${mistake}`)
    if (mistakes.length > maximumMistakes) lines.push('There are more mistakes.')
    super(`${lines.join('\n')} Nothing is changed.`, { exitCode: exitCodes.refusedFile })
  }
}

/** Word on the command line that stands for standard input. */
export const standardInput = '-'

/** Largest file, in bytes: 200,000 rows with the longest names have less. */
const maximumBytes = 300_000_000

/**
 * Reads the bytes of a file.
 *
 * @param file absolute path, or `-` for standard input
 * @param subject the name of the shelter or the path of the file, with which a refusal begins
 * @throws RefusedFileError if the file cannot be read, or is too large
 */
export const readBytes = async (file: string, subject: string): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let byteCount = 0
  try {
    for await (const chunk of file === standardInput ? process.stdin : createReadStream(file)) {
      byteCount += chunk.length
      if (byteCount > maximumBytes) throw new RefusedFileError(subject, ['the file has more than 300 MB. Split it.'])
      chunks.push(Buffer.from(chunk))
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw createReadRefusal(file, subject, error)
    throw error
  }
  return Buffer.concat(chunks)
}

const createReadRefusal = (file: string, subject: string, error: Error): RefusedFileError => {
  // If the subject is a shelter, only this sentence names the file.
  if (subject === file) return new RefusedFileError(subject, [describeReadError('the file', error)])
  return new RefusedFileError(subject, [describeReadError(file, error, 'the path, and whether the file has arrived')])
}

/**
 * Describes why a file cannot be read, and what to change.
 *
 * @param toCheck what a person should check if there is no such file
 */
export const describeReadError = (file: string, error: unknown, toCheck = 'the path'): string => {
  const code = error instanceof Error && 'code' in error ? error.code : error
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `${file} does not exist. Check ${toCheck}.`
    case 'EISDIR':
      return `${file} is a folder. Name a file in it.`
    case 'EACCES':
    case 'EPERM':
      return `This user may not read ${file}. Change its permissions.`
    default:
      return `${file} cannot be read (${code}).`
  }
}

/** Names a file in messages. */
export const nameFile = (file: string): string => (file === standardInput ? 'standard input' : file)

/**
 * Reads an export: UTF-8, or UTF-16 with a byte order mark, as spreadsheets save text.
 *
 * @param file absolute path, or `-` for standard input
 * @throws RefusedFileError
 */
export const readText = async (file: string): Promise<string> => {
  const subject = nameFile(file)
  const decoded = decodeText(await readBytes(file, subject))
  if (decoded !== undefined) return decoded.text
  throw new RefusedFileError(subject, ['the file is not UTF-8. Save it as UTF-8, in a spreadsheet as "CSV UTF-8".'])
}

interface DecodedText {
  readonly text: string
  /** Whether the bytes are UTF-8 although another encoding was named. They are read as UTF-8. */
  readonly isUnexpectedUtf8: boolean
}

/**
 * Decodes a file by its byte order mark, or else by the encoding that is named.
 *
 * A file with characters beyond ASCII that is valid UTF-8 is UTF-8, whatever encoding is named: in other encodings each
 * such character would be a pair that nobody writes, such as `Ã«`.
 *
 * @param encoding as the Encoding Standard names it
 * @returns undefined if the bytes are not in the encoding, or end inside a character
 */
export const decodeText = (bytes: Buffer, encoding = 'utf-8'): DecodedText | undefined => {
  const markedEncoding = findMarkedEncoding(bytes)
  const expectsOther = markedEncoding === undefined && new TextDecoder(encoding).encoding !== 'utf-8'
  const isUnexpectedUtf8 = expectsOther && bytes.some((byte) => byte > 0x7f) && decode(bytes, 'utf-8') !== undefined
  const text = decode(bytes, isUnexpectedUtf8 ? 'utf-8' : (markedEncoding ?? encoding))
  return text === undefined ? undefined : { text, isUnexpectedUtf8 }
}

/** Decodes bytes, without their byte order mark. */
const decode = (bytes: Buffer, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Finds the encoding that the byte order mark of a file names. */
const findMarkedEncoding = ([first, second, third]: Buffer): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}
