/** Short secret input, such as an API key. */
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { makePrintable } from './printable.ts'
import { exitCodes, UsageError, UserError } from './user-error.ts'

/**
 * Reads the first line of standard input, without white space around it. On a terminal the prompt is shown first, and
 * what is typed is not shown. The prompt goes to standard error: standard output is for the result of the command.
 *
 * @example
 * const apiKey = await readHiddenLine('API key: ')
 *
 * @returns the empty string if there is no line
 * @throws UserError at Ctrl-C, which says that nothing was changed: commands read the line before they change anything
 * @throws UsageError for a first line that is no printable text in UTF-8, without showing it. Later lines are not read
 */
export const readHiddenLine = async (prompt: string): Promise<string> => {
  const terminal = process.stdin.isTTY === true
  const lines = createInterface({ input: process.stdin, output: createSilentOutput(), terminal, historySize: 0 })
  let isInterrupted = false
  // A terminal in raw mode sends no signal at Ctrl-C.
  lines.once('SIGINT', () => {
    isInterrupted = true
    lines.close()
  })

  if (terminal) process.stderr.write(prompt)
  const firstLine = await readFirstLine(lines)
  if (terminal) process.stderr.write('\n')
  if (isInterrupted) throw new UserError('Interrupted. Nothing was changed.', { exitCode: exitCodes.interruption })
  const line = firstLine.trim()
  const isText = makePrintable(line) === line && !line.includes(replacementCharacter)
  if (!isText) throw new UsageError('Standard input must be text in UTF-8, with one line.')
  return line
}

/** The character as which Node.js reads bytes that are not UTF-8, such as those of UTF-16. */
const replacementCharacter = '\uFFFD'

const readFirstLine = async (lines: Interface): Promise<string> => {
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    // A terminal that is still read would keep the process running.
    lines.close()
  }
}

/** Creates an output for a terminal that shows nothing of what is typed. */
const createSilentOutput = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })
