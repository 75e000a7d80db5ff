import { expect, it } from 'vitest'
import { tool } from '../../../../infra/command-line/tool.ts'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { runHere } from '../operations/running-here.ts'

const aws = (name: string, message = 'No \u009b2J and no\nsecond line') => Object.assign(new Error(message), { name })
const system = (code: string) => Object.assign(new Error('write'), { code })

const runThatFails = (error: unknown) =>
  runHere(
    tool('npm run fail --', 'Fails.').action(() => Promise.reject(error)),
    [],
  )

it.each<[unknown, string, number]>([
  [new UserError('Do this.\nAnd that.'), 'Do this.\nAnd that.', 1],
  [new UserError('Interrupted.', { exitCode: 130 }), 'Interrupted.', 130],
  [new UserError('No API key has the id pet_live_0123456789.'), 'No API key has the id pet_live_....', 1],
  [new Error('a\u001b[2J'), 'An unexpected error: a\\u{1b}[2J (set DEBUG=1 to see where)', 1],
  ['a text', 'An unexpected error: a text (set DEBUG=1 to see where)', 1],
  [aws('ExpiredTokenException'), 'The AWS credentials have expired.', 1],
  [aws('CredentialsProviderError'), 'No AWS credentials were found.', 1],
  [aws('InvalidClientTokenId'), 'AWS does not accept the credentials.', 1],
  [aws('SignatureDoesNotMatch'), 'AWS does not accept the credentials.', 1],
  [aws('ThrottlingException'), 'AWS throttles the requests of this account', 1],
  [aws('AccessDeniedException'), 'do not allow this: No \\u{9b}2J and no\\u{a}second line', 1],
  // CloudWatch Logs and others use this name, and not only API Gateway for its API keys.
  [aws('LimitExceededException', 'Too many queries'), 'An unexpected error: Too many queries', 1],
  [aws('Error', 'Region is missing'), 'Set AWS_REGION', 1],
  [system('ENOTFOUND'), 'AWS is unreachable (write).', 1],
  [system('ENOSPC'), 'The disk is full (write).', 1],
])('a command that fails with %o ends with a sentence', async (error, sentence, exitCode) => {
  expect(await runThatFails(error)).toEqual({ output: '', errors: expect.stringContaining(sentence), exitCode })
})
