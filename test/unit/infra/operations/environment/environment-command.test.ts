import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { beforeEach, expect, it, vi } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { auditFile } from '../../../../../infra/operations/environment/audit.ts'
import {
  createEnvironmentTool,
  runChangeCommand,
} from '../../../../../infra/operations/environment/environment-command.ts'
import { registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'

let here: Awaited<ReturnType<typeof registerLocalEnvironment>>
beforeEach(async () => {
  here = await registerLocalEnvironment()
  make.mockReset().mockResolvedValue({ json: { set: true }, text: 'It is set.', exitCode: 1 })
})

/** What a command changes. */
const make = vi.fn()

const set = (...words: readonly string[]) => {
  const things = createEnvironmentTool('npm run things --', 'Changes things.')
  things
    .command('set <id>')
    .action((id, _options, command) =>
      runChangeCommand(command.optsWithGlobals(), (_environment, audit) =>
        audit.recordThenMake({ action: 'things set', ids: [id], old: null, new: { id } }, make),
      ),
    )
  return runToolInProcess(things, ['set', 'a', ...words])
}

it('a change is recorded, with its reason, before it is made; if it fails, once more; and its report is printed', async () => {
  const entries = () => JSON.parse(`[${readFileSync(auditFile(here.data), 'utf8').trim().replaceAll('\n', ',')}]`)
  const change = { environment: 'local', action: 'things set', ids: ['a'], old: null, new: { id: 'a' } }
  const entry = { time: expect.any(String), who: userInfo().username, ...change, why: 'asked for' }
  make.mockImplementationOnce(() => {
    expect(entries()).toEqual([entry])
    throw new UserError('Somebody else was first.')
  })
  const failed = { output: '', errors: 'Somebody else was first.\n', exitCode: 1 }
  expect(await set(...here.words, '--why', 'asked for')).toEqual(failed)
  expect(entries()).toEqual([entry, { ...entry, failed: 'Somebody else was first.' }])
  expect(await set(...here.words)).toEqual({ output: 'It is set.\n', errors: '', exitCode: 1 })
  expect(await set(...here.words, '--json')).toMatchObject({ output: '{"set":true}\n' })
})

it('a change that cannot be recorded is not made', async () => {
  mkdirSync(auditFile(here.data))
  expect(await set(...here.words)).toMatchObject({ exitCode: 1 })
  expect(make).not.toHaveBeenCalled()
})

it.each([
  ['another environment than the confirmed one', ['--env', 'staging', '--confirm', 'production'], 'which is staging.'],
  ['a long reason', ['--env', 'local', '--why', 'x'.repeat(501)], 'must have at most 500 characters.'],
  ['a data folder on AWS', ['--env', 'staging', '--data', 'x'], '--env staging does not take --data.'],
  ['a data folder without an environment', ['--env', 'local', '--data', '/nowhere'], 'Start one with "npm start"'],
])('a change does not take %s', async (_what, words, sentence) => {
  expect(await set(...words)).toMatchObject({ output: '', errors: expect.stringContaining(sentence), exitCode: 1 })
  expect(make).not.toHaveBeenCalled()
  expect(existsSync('/nowhere')).toBe(false)
})
