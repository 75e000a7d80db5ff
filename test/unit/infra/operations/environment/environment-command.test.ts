import { existsSync, mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Report } from '../../../../../infra/command-line/report.ts'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { getAuditFile } from '../../../../../infra/operations/environment/audit-trail.ts'
import {
  createEnvironmentTool,
  runChangeCommand,
} from '../../../../../infra/operations/environment/environment-command.ts'
import { readAudit, registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'

let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>

/** Makes the change of the command. Tests replace it. */
const makeChange = vi.fn<() => Promise<Report>>()

beforeEach(async () => {
  environment = await registerLocalEnvironment()
  makeChange.mockReset()
  makeChange.mockResolvedValue({ json: { set: true }, text: 'It is set.' })
})

/** Runs a command that changes the thing `a`. */
const runSetCommand = (...options: readonly string[]) => {
  const tool = createEnvironmentTool('npm run things --', 'Changes things.')
  tool.command('set <id>').action((id, _options, command) =>
    runChangeCommand(command.optsWithGlobals(), (_environment, audit) => {
      const change = { action: 'things set', ids: [id], old: null, new: { id } }
      return audit.recordThenMake(change, makeChange)
    }),
  )
  return runToolInProcess(tool, ['set', 'a', ...options])
}

const recordedChange = {
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  who: userInfo().username,
  environment: 'local',
  action: 'things set',
  ids: ['a'],
  old: null,
  new: { id: 'a' },
  changeId: expect.any(String),
}

it('a change is in the audit before it is made', async () => {
  makeChange.mockImplementation(async () => {
    expect(readAudit(environment.dataFolder)).toEqual([{ ...recordedChange, outcome: 'begun' }])
    return { json: {}, text: 'It is set.' }
  })

  const { exitCode } = await runSetCommand(...environment.options)

  expect(exitCode).toBe(0)
  expect(makeChange).toHaveBeenCalledOnce()
})

it('the audit has the reason of a change', async () => {
  await runSetCommand(...environment.options, '--why', 'asked for')

  expect(readAudit(environment.dataFolder)).toEqual([
    { ...recordedChange, why: 'asked for', outcome: 'begun' },
    { ...recordedChange, why: 'asked for', outcome: 'done' },
  ])
})

it('a change that fails is in the audit as failed', async () => {
  makeChange.mockRejectedValue(new UserError('Somebody else was first.'))

  const result = await runSetCommand(...environment.options, '--why', 'asked for')

  expect(result).toEqual({ output: '', errors: 'Somebody else was first.\n', exitCode: 1 })
  expect(readAudit(environment.dataFolder)).toEqual([
    { ...recordedChange, why: 'asked for', outcome: 'begun' },
    { ...recordedChange, why: 'asked for', outcome: 'failed', reason: 'Somebody else was first.' },
  ])
})

it('a command prints the text of its report, and ends with its exit code', async () => {
  makeChange.mockResolvedValue({ json: { set: true }, text: 'It is set.', exitCode: 1 })

  const result = await runSetCommand(...environment.options)

  expect(result).toEqual({ output: 'It is set.\n', errors: '', exitCode: 1 })
})

it('a command prints the JSON of its report with --json', async () => {
  const result = await runSetCommand(...environment.options, '--json')

  expect(result).toEqual({ output: '{"set":true}\n', errors: '', exitCode: 0 })
})

it('a change that cannot be recorded is not made', async () => {
  mkdirSync(getAuditFile(environment.dataFolder))

  const { exitCode } = await runSetCommand(...environment.options)

  expect(exitCode).toBe(1)
  expect(makeChange).not.toHaveBeenCalled()
})

it('a command works on the environment that PET_ENVIRONMENT names', async () => {
  vi.stubEnv('PET_ENVIRONMENT', 'local')

  const result = await runSetCommand('--data', environment.dataFolder)

  expect(result).toEqual({ output: 'It is set.\n', errors: '', exitCode: 0 })
})

it('--env counts more than PET_ENVIRONMENT', async () => {
  vi.stubEnv('PET_ENVIRONMENT', 'production')

  const { exitCode } = await runSetCommand(...environment.options)

  expect(exitCode).toBe(0)
})

it('a relative data folder begins in the folder where npm was called', async () => {
  // npm sets INIT_CWD to that folder.
  vi.stubEnv('INIT_CWD', dirname(environment.dataFolder))

  const { exitCode } = await runSetCommand('--env', 'local', '--data', basename(environment.dataFolder))

  expect(exitCode).toBe(0)
})

it.each([
  {
    mistake: 'another environment than the confirmed one',
    options: ['--env', 'staging', '--confirm', 'production'],
    sentence: 'which is staging.',
    exitCode: 2,
  },
  {
    mistake: 'a reason that is too long',
    options: ['--env', 'local', '--why', 'x'.repeat(501)],
    sentence: 'must have at most 500 characters.',
    exitCode: 2,
  },
  {
    mistake: 'a data folder on AWS',
    options: ['--env', 'staging', '--data', 'x'],
    sentence: '--env staging does not take --data.',
    exitCode: 2,
  },
  {
    mistake: 'a data folder without an environment',
    options: ['--env', 'local', '--data', '/nowhere'],
    sentence: 'Start one with "npm start"',
    exitCode: 1,
  },
])('a change is not made with $mistake', async ({ options, sentence, exitCode }) => {
  const result = await runSetCommand(...options)

  expect(result).toEqual({ output: '', errors: expect.stringContaining(sentence), exitCode })
  expect(makeChange).not.toHaveBeenCalled()
})

it('a command does not create the data folder that it names', async () => {
  await runSetCommand('--env', 'local', '--data', '/nowhere')

  expect(existsSync('/nowhere')).toBe(false)
})
