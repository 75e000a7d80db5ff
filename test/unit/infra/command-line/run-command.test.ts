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
  const tool = createCommand('npm run fail --', 'Fails.').action(() => Promise.reject(error))
  return runCommandInProcess(tool, [])
}

beforeEach(() => {
  vi.stubEnv('DEBUG', undefined)
})

it('a command that fails prints the message of a UserError', async () => {
  const result = await runFailingCommand(new UserError('Do this.\nAnd that.'))

  expect(result).toEqual({ output: '', errors: 'Do this.\nAnd that.\n', exitCode: 1 })
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

it('a command that fails prints no API key', async () => {
  const result = await runFailingCommand(new UserError('No API key has the id pet_live_0123456789.'))

  expect(result).toEqual({ output: '', errors: 'No API key has the id pet_live_....\n', exitCode: 1 })
})

it.each([
  { name: 'with an escape sequence', error: new Error('a\u001b[2J'), shown: 'a\\u{1b}[2J' },
  { name: 'that is a text', error: 'a text', shown: 'a text' },
  { name: 'without a message', error: new TypeError(), shown: 'TypeError' },
])('a command that fails with an unexpected error $name shows where to look', async ({ error, shown }) => {
  const result = await runFailingCommand(error)

  const errors = `An unexpected error: ${shown} (set DEBUG=1 to see where)\n`
  expect(result).toEqual({ output: '', errors, exitCode: 1 })
})

it('a command that fails with DEBUG prints the stack too, without API keys', async () => {
  vi.stubEnv('DEBUG', '1')

  const { errors } = await runFailingCommand(new Error('No API key has the id pet_live_0123456789.'))

  expect(errors).toMatch(/^An unexpected error: .*\nError: No API key has the id pet_live_\.\.\.\.\n +at /)
  expect(errors).toContain('run-command.test.ts')
  expect(errors).not.toContain('0123456789')
})

// CloudWatch Logs and other services use this name, not only API Gateway for its API keys.
it('a command that fails with a LimitExceededException has an unexpected error', async () => {
  const result = await runFailingCommand(createNamedError('LimitExceededException'))

  expect(result).toEqual({
    output: '',
    errors: expect.stringContaining('An unexpected error: It is so (set DEBUG=1'),
    exitCode: 1,
  })
})

it.each([
  { name: 'ExpiredToken', sentence: 'The AWS credentials have expired (It is so). Renew them' },
  { name: 'InvalidClientTokenId', sentence: 'AWS needs other credentials (It is so).' },
  { name: 'SignatureDoesNotMatch', sentence: 'AWS needs other credentials (It is so).' },
  { name: 'AccessDenied', sentence: 'The AWS credentials do not allow this: It is so' },
  { name: 'Throttling', sentence: 'AWS throttles this account. Retry in a minute.' },
])('a command that fails with $name of AWS says what to do', async ({ name, sentence }) => {
  const result = await runFailingCommand(createNamedError(name))

  expect(result).toEqual({ output: '', errors: expect.stringContaining(sentence), exitCode: 1 })
})

it('a command that fails for want of a Region says what to do', async () => {
  const result = await runFailingCommand(new Error('Region is missing'))

  expect(result).toEqual({ output: '', errors: expect.stringContaining('Set AWS_REGION'), exitCode: 1 })
})

it.each([
  {
    code: 'ENOTFOUND',
    sentence: 'Nothing responds (write). Check that the local environment runs; on AWS the network',
  },
  { code: 'ENOSPC', sentence: 'The disk is full (write).' },
  { code: 'EACCES', sentence: 'This user may not do that (write).' },
  { code: 'ENOENT', sentence: 'No file can be read or written there (write).' },
  { code: 'EROFS', sentence: 'This user may not do that (write).' },
])('a command that fails with $code of Node.js says what to do', async ({ code, sentence }) => {
  const result = await runFailingCommand(createSystemError(code))

  expect(result).toEqual({ output: '', errors: expect.stringContaining(sentence), exitCode: 1 })
})

it.each([
  { message: 'ENOSPC: no space left on device, write', sentence: 'The disk is full (ENOSPC: no space left' },
  { message: "EACCES: permission denied, open 'audit.jsonl'", sentence: 'This user may not do that (EACCES' },
])('a command that fails with the message "$message" says what to do', async ({ message, sentence }) => {
  const result = await runFailingCommand(new Error(message))

  expect(result).toEqual({ output: '', errors: expect.stringContaining(sentence), exitCode: 1 })
})
