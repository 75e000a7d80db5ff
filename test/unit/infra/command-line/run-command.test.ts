import { expect, it, onTestFinished, vi } from 'vitest'
import { runCommand } from '../../../../infra/command-line/run-command.ts'
import { UserError } from '../../../../infra/command-line/user-error.ts'

it.each([
  [new UserError('Do this.\nAnd that.'), 'Do this.\nAnd that.'],
  [
    new Error('No \u009b2J escape, no\nsecond line'),
    'No \\u{9b}2J escape, no\\u{a}second line (set DEBUG=1 to see where)',
  ],
  [Object.assign(new Error('write'), { code: 'ENOSPC' }), 'The disk is full (write).'],
  [new UserError('No API key has the id pet_live_0123456789.'), 'No API key has the id pet_live_....'],
])('a command that fails with %o ends with 1 and says why', async (error, sentence) => {
  const written = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => {
    written.mockRestore()
    process.exitCode = undefined
  })
  await runCommand(async () => {
    throw error
  })
  expect([process.exitCode, written.mock.calls]).toEqual([1, [[expect.stringContaining(sentence)]]])
})
