/** Questions to the operator, and short input such as an API key. */
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { exitCodes, UserError } from './user-error.ts'

interface InputOptions {
  /** Whether a terminal shows what is typed. @default true */
  readonly echo?: boolean
}

/**
 * Reads the first line of standard input, without white space around it. On a terminal the prompt is shown first, on
 * standard error: standard output is for the result of the command.
 *
 * @example
 * const apiKey = await readInputLine('API key: ', { echo: false })
 *
 * @returns the empty string if there is no line
 * @throws UserError at Ctrl-C
 */
export const readInputLine = async (prompt: string, { echo = true }: InputOptions = {}): Promise<string> => {
  const terminal = process.stdin.isTTY === true
  const output = echo ? process.stderr : createSilentOutput()
  const lines = createInterface({ input: process.stdin, output, terminal, historySize: 0 })
  let isInterrupted = false
  // A terminal in raw mode sends no signal at Ctrl-C.
  lines.once('SIGINT', () => {
    isInterrupted = true
    lines.close()
  })

  if (terminal) process.stderr.write(prompt)
  const line = await readFirstLine(lines)
  if (terminal && !echo) process.stderr.write('\n')
  if (isInterrupted) throw new UserError('Interrupted. Nothing was changed.', { exitCode: exitCodes.interruption })
  return line.trim()
}

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
