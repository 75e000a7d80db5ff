import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { basename, dirname } from 'node:path'
import { beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Report } from '../../../../../infra/command-line/report.ts'
import {
  confirmOption,
  createEnvironmentCommand,
  runAuditedCommand,
  whyOption,
} from '../../../../../infra/commands/environment/environment-command.ts'
import { findOperator } from '../../../../../infra/commands/environment/open-environment.ts'
import { runCommandInProcess, runCommandWithoutOutput } from '../../../../fixtures/commands/commands.ts'
import { registerLocalEnvironment } from '../../../../fixtures/commands/registered-environment.ts'

let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>

/** Makes the change of the command. Tests replace it. */
const makeChange = vi.fn<() => Promise<Report>>()

beforeAll(async () => {
  environment = await registerLocalEnvironment()
})

beforeEach(() => {
  makeChange.mockReset()
  makeChange.mockResolvedValue({ json: { set: true }, text: 'It is set.' })
})

/** Creates a command of operators with one subcommand, `set`, which makes the change. */
const createThingsCommand = () => {
  const things = createEnvironmentCommand('npm run things --', 'Changes things.')
  const set = things.command('set').addOption(whyOption).addOption(confirmOption)
  set.action((_options, command) => runAuditedCommand(command.optsWithGlobals(), () => makeChange()))
  return things
}

const runSetCommand = (...options: readonly string[]) => runCommandInProcess(createThingsCommand(), ['set', ...options])

it('a command whose report cannot be written says that its changes were made', async () => {
  const { errors, exitCode } = await runCommandWithoutOutput(createThingsCommand(), ['set', ...environment.options])

  expect(errors).toBe(
    'The output could not be written (no output). ' +
      'Only the report is missing: "npm run audit" shows the changes that were made.\n',
  )
  expect(exitCode).toBe(1)
})

it('a command that Ctrl-C interrupts ends at once with 130', async () => {
  // The cast stands for the end of the process, after which nothing returns.
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  makeChange.mockImplementation(async () => {
    // Ctrl-C reaches only the listener of this command, because the test files of a worker share their process.
    process.listeners('SIGINT').at(-1)?.('SIGINT')
    return { json: {}, text: '' }
  })

  const { errors } = await runSetCommand(...environment.options)

  expect(errors).toBe('Interrupted. Run the same command again.\n')
  expect(exit).toHaveBeenCalledExactlyOnceWith(130)
  exit.mockRestore()
})

it('a command works on the environment that PET_ENVIRONMENT names, unless --env names another', async () => {
  vi.stubEnv('PET_ENVIRONMENT', 'local')
  expect(await runSetCommand('--data', environment.dataFolder)).toMatchObject({ errors: '', exitCode: 0 })

  vi.stubEnv('PET_ENVIRONMENT', 'production')
  expect(await runSetCommand(...environment.options)).toMatchObject({ errors: '', exitCode: 0 })
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

it('a user of this machine without a name is named by the number of the user', async () => {
  vi.spyOn(os, 'userInfo').mockImplementation(() => {
    throw new Error('uv_os_get_passwd returned ENOENT (no such file or directory)')
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  expect(await findOperator({ name: 'local' }, undefined)).toEqual({ who: String(process.getuid?.()), why: undefined })
})
