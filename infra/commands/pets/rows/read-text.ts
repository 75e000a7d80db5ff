/** Reading the text of a file, or of standard input. */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { describeReadError } from '../../../command-line/read-error.ts'
import { RefusedFileError } from './refused-file-error.ts'

/** Word on the command line that stands for standard input. */
export const standardInput = '-'

/** Largest file, in bytes: 200,000 rows with the longest names have less. */
const maximumBytes = 300_000_000

/**
 * Reads a file as a whole.
 *
 * @param file absolute path, or `-` for standard input
 * @throws RefusedFileError if the file cannot be read, is empty, too large or not UTF-8
 */
export const readText = async (file: string): Promise<string> => {
  const bytes = await (file === standardInput
    ? readBytes(process.stdin, 'Standard input')
    : readBytes(createReadStream(file), file))
  const text = decode(bytes)
  if (text.trim() === '') throw new RefusedFileError(['The file is empty.'])
  return text
}

const readBytes = async (input: Readable, name: string): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let byteCount = 0
  try {
    for await (const chunk of input) {
      byteCount += chunk.length
      if (byteCount > maximumBytes) throw new RefusedFileError(['It has more than 300 MB. Split it.'])
      chunks.push(Buffer.from(chunk))
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw new RefusedFileError([describeReadError(name, error)])
    throw error
  }
  return Buffer.concat(chunks)
}

const decode = (bytes: Buffer): string => {
  try {
    // Drops a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new RefusedFileError(['It is not UTF-8. Save it as UTF-8, in a spreadsheet as "CSV UTF-8".'])
  }
}
