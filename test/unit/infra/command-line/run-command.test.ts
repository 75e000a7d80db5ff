import { expect, it } from 'vitest'
import { createTool } from '../../../../infra/command-line/tool.ts'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { runToolInProcess } from '../../../fixtures/commands.ts'

const system = (code: string) => Object.assign(new Error('write'), { code })
const named = (name: string) => Object.assign(new Error('It is so'), { name })

it.each<[unknown, string, number]>([
  [new UserError('Do this.\nAnd that.'), 'Do this.\nAnd that.\n', 1],
  [new UserError('Interrupted.', { exitCode: 130 }), 'Interrupted.\n', 130],
  [new UserError('No API key has the id pet_live_0123456789.'), 'No API key has the id pet_live_....\n', 1],
  [new Error('a\u001b[2J'), 'An unexpected error: a\\u{1b}[2J (set DEBUG=1 to see where)\n', 1],
  ['a text', 'An unexpected error: a text (set DEBUG=1 to see where)\n', 1],
  [new TypeError(), 'An unexpected error: TypeError (set DEBUG=1 to see where)\n', 1],
  // CloudWatch Logs and others use this name, and not only API Gateway for its API keys.
  [named('LimitExceededException'), 'An unexpected error: It is so (set DEBUG=1', 1],
  [named('ExpiredToken'), 'The AWS credentials have expired (It is so). Renew them', 1],
  [named('InvalidClientTokenId'), 'AWS needs other credentials (It is so).', 1],
  [named('SignatureDoesNotMatch'), 'AWS needs other credentials (It is so).', 1],
  [named('AccessDenied'), 'The AWS credentials do not allow this: It is so', 1],
  [named('Throttling'), 'AWS throttles this account. Retry in a minute.', 1],
  [new Error('Region is missing'), 'Set AWS_REGION', 1],
  [system('ENOTFOUND'), 'Nothing responds (write). Check that the local environment runs; on AWS the network', 1],
  [system('ENOSPC'), 'The disk is full (write).', 1],
  [system('EPIPE'), 'Nothing reads the output any more.', 1],
])('a command that fails with %o ends with a line', async (error, line, exitCode) => {
  const failing = createTool('npm run fail --', 'Fails.').action(() => Promise.reject(error))
  expect(await runToolInProcess(failing, [])).toEqual({ output: '', errors: expect.stringContaining(line), exitCode })
})
