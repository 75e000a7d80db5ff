import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import type { Report } from '../../../../../infra/command-line/report.ts'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { auditFile } from '../../../../../infra/operations/target/audit.ts'
import { changing, environmentTool, reading } from '../../../../../infra/operations/target/carry-out.ts'
import { runHere, runningHere } from '../running-here.ts'

/** A tool with a command that reads and one that changes, and what has been changed. */
const toolOf = (outcome: Report | Error = { json: { set: true }, text: 'It is set.', exitCode: 1 }) => {
  const changed: string[] = []
  const act = async (what: string) => {
    changed.push(what)
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  const things = environmentTool('npm run things --', 'Shows and changes things.')
  things.command('show').action((_options, command) =>
    reading(command.optsWithGlobals(), async ({ tables }) => ({
      json: { tables },
      text: tables.pets,
    })),
  )
  things
    .command('set <id>')
    .action((id, _options, command) =>
      changing(command.optsWithGlobals(), ({ recorded }) =>
        recorded({ action: 'things set', ids: [id], old: null, new: { id } }, () => act(id)),
      ),
    )
  return { things, changed }
}

it('a command prints lines for people, and with --json one object', async () => {
  const { tables, words } = await runningHere()
  const { things } = toolOf()
  expect(await runHere(things, ['show', ...words])).toEqual({ output: `${tables.pets}\n`, errors: '', exitCode: 0 })
  const { output } = await runHere(things, ['show', '--json', ...words])
  expect(JSON.parse(output)).toEqual({ tables })
})

it('a change is recorded with its reason, and may report that not all was done', async () => {
  const { data, words } = await runningHere()
  const { things, changed } = toolOf()
  const run = await runHere(things, ['set', 'a', ...words, '--why', 'asked for'])
  expect(run).toEqual({ output: 'It is set.\n', errors: '', exitCode: 1 })
  const [line = '', ...others] = readFileSync(auditFile(data), 'utf8').split('\n')
  const change = { environment: 'local', action: 'things set', ids: ['a'], old: null, new: { id: 'a' } }
  const recorded = { time: expect.any(String), who: userInfo().username, why: 'asked for' }
  expect([JSON.parse(line), others, changed]).toEqual([{ ...recorded, ...change }, [''], ['a']])
})

it('a change that is refused has a second line that says why', async () => {
  const { data, words } = await runningHere()
  const { things } = toolOf(new UserError('Somebody else was first.'))
  const { errors, exitCode } = await runHere(things, ['set', 'a', ...words])
  expect([errors, exitCode]).toEqual(['Somebody else was first.\n', 1])
  const lines = readFileSync(auditFile(data), 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).refused)).toEqual([undefined, 'Somebody else was first.'])
})

it('nothing is changed where it cannot be recorded', async () => {
  const { data, words } = await runningHere()
  mkdirSync(auditFile(data))
  const { things, changed } = toolOf()
  expect((await runHere(things, ['set', 'a', ...words])).exitCode).toBe(1)
  expect(changed).toEqual([])
})

it.each([
  ['production without a confirmation', ['--env', 'production'], 'add --confirm production.'],
  ['another environment than the confirmed one', ['--env', 'staging', '--confirm', 'production'], 'which is staging.'],
  ['an API key for a reason', ['--env', 'local', '--why', 'for pet_test_0123'], 'must not contain an API key.'],
  ['a data folder on AWS', ['--env', 'staging', '--data', 'x'], '--env staging does not take --data.'],
  ['a data folder without an environment', ['--env', 'local', '--data', '/nowhere'], 'Start one with "npm start"'],
])('a change does not take %s', async (_what, words, sentence) => {
  const { things, changed } = toolOf()
  const errors = expect.stringContaining(sentence)
  expect(await runHere(things, ['set', 'a', ...words])).toMatchObject({ output: '', errors, exitCode: 1 })
  expect([changed, existsSync('/nowhere')]).toEqual([[], false])
})
