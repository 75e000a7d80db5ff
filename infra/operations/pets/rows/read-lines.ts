import { isUtf8 } from 'node:buffer'
import { UserError } from '../../../command-line/user-error.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Longest line of a file. A pet has at most some thousand bytes. */
const maximumLineBytes = 1_000_000

/**
 * Decodes a file of UTF-8 in blocks of whole lines, so that its size does not matter.
 *
 * @throws UserError that names the first line that is not UTF-8, or is too long for a row
 */
export async function* decodeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let line = 1
  let rest: Buffer = Buffer.alloc(0)

  const decode = (block: Buffer): string => {
    if (!isUtf8(block)) throw new UserError(describeUndecodableLine(block, line))
    const text = block.toString()
    line += countLineFeeds(block)
    return text
  }

  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk])
    const end = findEndOfLastLine(bytes)
    rest = bytes.subarray(end)
    if (rest.length > maximumLineBytes) {
      throw new UserError(`Line ${line + countLineFeeds(bytes.subarray(0, end))} is too long for a row.`)
    }
    if (end > 0) yield decode(bytes.subarray(0, end))
  }
  if (rest.length > 0) yield decode(rest)
}

/** Finds where the last complete line ends. Only old programs end lines with a carriage return alone. */
const findEndOfLastLine = (bytes: Buffer): number => {
  const end = bytes.lastIndexOf(lineFeed)
  return (end === -1 ? bytes.lastIndexOf(carriageReturn) : end) + 1
}

const countLineFeeds = (bytes: Buffer): number => {
  let count = 0
  for (let index = bytes.indexOf(lineFeed); index !== -1; index = bytes.indexOf(lineFeed, index + 1)) count += 1
  return count
}

const describeUndecodableLine = (block: Buffer, firstLine: number): string => {
  // Latin 1 has a character for each byte, so its text has the same lines, and is encoded back without a loss.
  const lines = block.toString('latin1').split('\n')
  const index = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')))
  return `Line ${firstLine + index} is not UTF-8. Save it as UTF-8, in a spreadsheet as "CSV UTF-8".`
}
