import { beforeEach, expect, it, vi } from 'vitest'
import { createCommand } from '../../../../infra/command-line/command.ts'
import { ConflictError, UsageError, UserError } from '../../../../infra/command-line/user-error.ts'
import { runCommandInProcess } from '../../../fixtures/commands/commands.ts'

/** An error with a name, as AWS returns it. */
const createNamedError = (name: string): Error => Object.assign(new Error('It is so'), { name })

/** An error with a code, as Node.js throws it. */
const createSystemError = (code: string): Error => Object.assign(new Error('write'), { code })

/** Runs a command that fails with an error. */
const runFailingCommand = (error: unknown) => {
  const command = createCommand('npm run fail --', 'Fails.').action(() => Promise.reject(error))
  return runCommandInProcess(command, [])
}

beforeEach(() => {
  vi.stubEnv('DEBUG', undefined)
})

it.each([
  { kind: 'a failure', error: new UserError('It is so.'), exitCode: 1 },
  { kind: 'a wrong command line', error: new UsageError('It is so.'), exitCode: 2 },
  { kind: 'a conflict', error: new ConflictError('It is so.'), exitCode: 3 },
  { kind: 'an interruption', error: new UserError('It is so.', { exitCode: 130 }), exitCode: 130 },
])('a command that fails because of $kind has the exit code $exitCode', async ({ error, exitCode }) => {
  const result = await runFailingCommand(error)

  expect(result).toEqual({ output: '', errors: 'It is so.\n', exitCode })
})

it.each([
  { encoding: 'UTF-8', apiKey: 'pet_live_0123456789' },
  // UTF-16 that is read as UTF-8 has U+0000 between the characters.
  { encoding: 'UTF-16', apiKey: [...'pet_live_0123456789'].join('\0') },
])('a command that fails prints no API key in $encoding', async ({ apiKey }) => {
  const { errors } = await runFailingCommand(new UserError(`No pet has the id ${apiKey}.`))

  // Three dots take the place of the random part, and the sentence ends with a fourth.
  expect(errors).toMatch(/^No pet has the id p.*_\S*\.\.\.\.\n$/)
  // A digit of the random part.
  expect(errors).not.toContain('1')
})

it.each([
  { name: 'with an escape sequence', error: new Error('a\u001b[2J'), shown: 'a\\u{1b}[2J' },
  { name: 'that is a text', error: 'a text', shown: 'a text' },
  { name: 'without a message', error: new TypeError(), shown: 'TypeError' },
])('a command that fails with an unexpected error $name shows where to look', async ({ error, shown }) => {
  const result = await runFailingCommand(error)

  const errors = `An unexpected error: ${shown} (set DEBUG=1 to see where).\n`
  expect(result).toEqual({ output: '', errors, exitCode: 1 })
})

it('a command that fails with DEBUG prints the stack too, without API keys', async () => {
  vi.stubEnv('DEBUG', '1')

  const { errors } = await runFailingCommand(new Error('No API key has the id pet_live_0123456789.'))

  expect(errors).toMatch(/^An unexpected error: .*\nError: No API key has the id pet_live_\.\.\.\.\n +at /)
  expect(errors).toContain('run-command.test.ts')
  expect(errors).not.toContain('0123456789')
})

it.each([
  { error: createNamedError('ExpiredToken'), sentence: 'AWS needs other credentials (It is so). Renew them' },
  { error: createNamedError('SignatureDoesNotMatch'), sentence: 'AWS needs other credentials (It is so).' },
  { error: createNamedError('AccessDenied'), sentence: 'The AWS credentials do not allow this (It is so).' },
  { error: new Error('Region is missing'), sentence: 'Region is missing. Set AWS_REGION' },
  {
    error: createSystemError('ENOTFOUND'),
    sentence: 'Nothing responds (write). Check that the local environment runs',
  },
])('a command that fails with $error says "$sentence"', async ({ error, sentence }) => {
  const result = await runFailingCommand(error)

  expect(result).toEqual({ output: '', errors: expect.stringContaining(sentence), exitCode: 1 })
})
