import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { beforeEach, expect, it } from 'vitest'
import type { Report } from '../../../../../infra/command-line/report.ts'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { auditFile } from '../../../../../infra/operations/target/audit.ts'
import { changing, environmentTool } from '../../../../../infra/operations/target/carry-out.ts'
import { runHere, runningHere } from '../running-here.ts'

let here: Awaited<ReturnType<typeof runningHere>>
let changed: string[]
beforeEach(async () => {
  here = await runningHere()
  changed = []
})

const isSet: Report = { json: { set: true }, text: 'It is set.', exitCode: 1 }

/** Runs a command that changes one thing. */
const set = (words: readonly string[], outcome: Report | Error = isSet) => {
  const things = environmentTool('npm run things --', 'Changes things.')
  const act = async (id: string) => {
    changed.push(id)
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  things
    .command('set <id>')
    .action((id, _options, command) =>
      changing(command.optsWithGlobals(), ({ recorded }) =>
        recorded({ action: 'things set', ids: [id], old: null, new: { id } }, () => act(id)),
      ),
    )
  return runHere(things, ['set', 'a', ...words])
}

const recorded = () =>
  readFileSync(auditFile(here.data), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

it('a change is recorded with its reason, and printed for people or as JSON; it may say that not all was done', async () => {
  const run = await set([...here.words, '--why', 'asked for'])
  expect([run, changed]).toEqual([{ output: 'It is set.\n', errors: '', exitCode: 1 }, ['a']])
  const change = { environment: 'local', action: 'things set', ids: ['a'], old: null, new: { id: 'a' } }
  expect(recorded()).toEqual([{ time: expect.any(String), who: userInfo().username, why: 'asked for', ...change }])
  expect((await set([...here.words, '--json'])).output).toBe('{"set":true}\n')
})

it('a change that is refused has a second line that says why, and one that cannot be recorded is not made', async () => {
  const { errors, exitCode } = await set(here.words, new UserError('Somebody else was first.'))
  expect([errors, exitCode]).toEqual(['Somebody else was first.\n', 1])
  expect(recorded().map(({ refused }) => refused)).toEqual([undefined, 'Somebody else was first.'])
  here = await runningHere()
  mkdirSync(auditFile(here.data))
  expect((await set(here.words)).exitCode).toBe(1)
  expect(changed).toEqual(['a'])
})

it.each([
  ['production without a confirmation', ['--env', 'production'], 'add --confirm production.'],
  ['another environment than the confirmed one', ['--env', 'staging', '--confirm', 'production'], 'which is staging.'],
  ['an API key for a reason', ['--env', 'local', '--why', 'for pet_test_0123'], 'must not contain an API key.'],
  ['a data folder on AWS', ['--env', 'staging', '--data', 'x'], '--env staging does not take --data.'],
  ['a data folder without an environment', ['--env', 'local', '--data', '/nowhere'], 'Start one with "npm start"'],
])('a change does not take %s', async (_what, words, sentence) => {
  const errors = expect.stringContaining(sentence)
  expect(await set(words)).toMatchObject({ output: '', errors, exitCode: 1 })
  expect([changed, existsSync('/nowhere')]).toEqual([[], false])
})
