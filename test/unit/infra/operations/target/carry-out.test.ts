import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import type { Report } from '../../../../../infra/command-line/report.ts'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { auditFile } from '../../../../../infra/operations/target/audit.ts'
import { changing, environmentTool, reading } from '../../../../../infra/operations/target/carry-out.ts'
import { runHere, runningHere } from '../running-here.ts'

/** A tool with a command that reads and one that changes, and what has been changed. */
const toolOf = (outcome: Report | Error) => {
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

const done: Report = { json: { set: true }, text: 'It is set.' }

it('a command prints lines for people, and with --json one object', async () => {
  const { tables, words } = await runningHere()
  const { things } = toolOf(done)
  expect(await runHere(things, ['show', ...words])).toEqual({ output: `${tables.pets}\n`, errors: '', exitCode: 0 })
  const { output } = await runHere(things, ['show', '--json', ...words])
  expect(JSON.parse(output)).toEqual({ tables })
})

it('a report may say that not all was done', async () => {
  const { words } = await runningHere()
  const { things } = toolOf({ ...done, exitCode: 1 })
  expect(await runHere(things, ['set', 'a', ...words])).toEqual({ output: 'It is set.\n', errors: '', exitCode: 1 })
})

it('a change is recorded before it is made, with its reason', async () => {
  const { data, words } = await runningHere()
  const { things, changed } = toolOf(done)
  await runHere(things, ['set', 'a', ...words, '--why', 'asked for'])
  const [line = '', ...others] = readFileSync(auditFile(data), 'utf8').split('\n')
  const who = userInfo().username
  const change = { who, environment: 'local', action: 'things set', ids: ['a'], old: null, new: { id: 'a' } }
  expect(JSON.parse(line)).toEqual({ ...change, time: expect.any(String), why: 'asked for' })
  expect([others, changed]).toEqual([[''], ['a']])
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
  const { things, changed } = toolOf(done)
  expect((await runHere(things, ['set', 'a', ...words])).exitCode).toBe(1)
  expect(changed).toEqual([])
})

it.each([
  ['production without a confirmation', ['--env', 'production'], 'add --confirm production.'],
  ['another environment than the confirmed one', ['--env', 'staging', '--confirm', 'production'], 'which is staging.'],
  ['an API key for a reason', ['--env', 'local', '--why', 'for pet_test_0123'], 'must not contain an API key.'],
  ['a data folder on AWS', ['--env', 'staging', '--data', 'x'], '--env staging does not take --data.'],
  ['an environment that is not there', ['--env', 'test'], 'Allowed choices are local, staging, production.'],
  ['a data folder without an environment', ['--env', 'local', '--data', '/nowhere'], 'Start one with "npm start"'],
])('a change does not take %s', async (_what, words, sentence) => {
  const { things, changed } = toolOf(done)
  expect(await runHere(things, ['set', 'a', ...words])).toMatchObject({
    output: '',
    errors: expect.stringContaining(sentence),
    exitCode: 1,
  })
  expect([changed, existsSync('/nowhere')]).toEqual([[], false])
})
