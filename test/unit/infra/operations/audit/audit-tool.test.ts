import { appendFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { createAuditTool } from '../../../../../infra/operations/audit/audit-tool.ts'
import type { AuditLine } from '../../../../../infra/operations/environment/audit.ts'
import { getAuditFile } from '../../../../../infra/operations/environment/audit-trail.ts'
import { noon } from '../../../../fixtures/clock.ts'
import { registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'
import { startNode } from '../../../../fixtures/node-process.ts'

let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>

beforeEach(async () => {
  environment = await registerLocalEnvironment()
})

const run = (...words: readonly string[]) =>
  runToolInProcess(
    createAuditTool(() => noon),
    [...words, ...environment.options],
  )

/** A change of pet 5 by Alice at noon. */
const sale: AuditLine = {
  time: '2026-11-02T12:00:00.000Z',
  who: 'alice',
  environment: 'local',
  action: 'pets set',
  ids: ['5'],
  old: { id: 5, name: 'Bella', status: 'available' },
  new: { id: 5, name: 'Bella', status: 'sold' },
  why: 'adopted',
  changeId: 'a',
  outcome: 'done',
}

/** A change of a key by Bob, two hours before noon. */
const move: AuditLine = {
  time: '2026-11-02T10:00:00.000Z',
  who: 'bob',
  environment: 'local',
  action: 'keys move',
  ids: ['key_one'],
  old: { plan: 'free' },
  new: { plan: 'pro' },
  changeId: 'b',
  outcome: 'done',
}

/** Writes changes into the audit, each with both lines. */
const record = (...changes: readonly AuditLine[]): void => {
  const lines = changes.flatMap((change) => [{ ...change, outcome: 'begun' }, change])
  appendFileSync(getAuditFile(environment.dataFolder), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

it('audit prints a line for each change, with the values that differ', async () => {
  record(move, sale)

  const { output, errors, exitCode } = await run()

  expect(output.split('\n')).toEqual([
    '2026-11-02T10:00:00.000Z  done        keys move     key_one           bob  plan: "free" -> "pro"',
    '2026-11-02T12:00:00.000Z  done        pets set      5                 alice  status: "available" -> "sold"  why: adopted',
    '',
  ])
  expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 0 })
})

it('audit prints all values of a pet that was added or removed', async () => {
  record({ ...sale, action: 'pets import', old: null, why: undefined })
  record({ ...sale, action: 'pets remove', new: null, why: undefined })

  const { output } = await run()

  expect(output).toContain('alice  new: {"id":5,"name":"Bella","status":"sold"}\n')
  expect(output).toContain('alice  old: {"id":5,"name":"Bella","status":"available"}\n')
})

it('audit --json prints a JSON object for each change', async () => {
  record(sale)

  const { output } = await run('--json')

  expect(output.endsWith('}\n')).toBe(true)
  expect(JSON.parse(output)).toEqual(sale)
})

it.each([
  { filter: ['--id', '5'], actions: ['pets set'] },
  { filter: ['--id', 'key_one'], actions: ['keys move'] },
  { filter: ['--id', 'key'], actions: [] },
  { filter: ['--who', 'ALI'], actions: ['pets set'] },
  { filter: ['--since', '90m'], actions: ['pets set'] },
  { filter: ['--since', '3h'], actions: ['keys move', 'pets set'] },
  { filter: ['--since', '2026-11-02'], actions: ['keys move', 'pets set'] },
  { filter: ['--since', '2026-11-02T11:59Z'], actions: ['pets set'] },
  { filter: ['--since', '3h', '--who', 'bob'], actions: ['keys move'] },
])('audit $filter prints the changes $actions', async ({ filter, actions }) => {
  record(move, sale)

  const { output } = await run('--json', ...filter)

  const lines = output.split('\n').filter((line) => line !== '')
  expect(lines.map((line) => JSON.parse(line).action)).toEqual(actions)
})

it('audit says that no change matches', async () => {
  expect(await run()).toEqual({ output: '', errors: 'No change matches.\n', exitCode: 0 })
})

it('audit prints a change without an outcome as unfinished, and says what that means', async () => {
  const file = getAuditFile(environment.dataFolder)
  appendFileSync(file, `${JSON.stringify({ ...sale, outcome: 'begun' })}\n`)

  const { output, errors, exitCode } = await run()

  expect(output).toMatch(/^\S+ {2}unfinished {2}pets set /)
  expect(errors).toMatch(/^1 change unfinished: made or not\. The command still runs, was killed, or could not write /)
  expect(exitCode).toBe(0)
})

it('audit prints the reason of a change that failed', async () => {
  record({ ...sale, outcome: 'failed', reason: 'Somebody else was first.' })

  const { output } = await run()

  expect(output).toMatch(/ failed .* reason: Somebody else was first\.\n$/)
})

it('audit says which line is torn, and prints the others', async () => {
  const file = getAuditFile(environment.dataFolder)
  appendFileSync(file, '{"time":"2026-\n')
  record(sale)

  const { output, errors, exitCode } = await run()

  expect(output.split('\n')).toHaveLength(2)
  expect({ errors, exitCode }).toEqual({
    errors: `Left out, because it is torn: line 1 of ${file}.\n`,
    exitCode: 0,
  })
})

it('audit does not print control characters of a name', async () => {
  record({ ...sale, new: { id: 5, name: '\u001b[31mred', status: 'sold' }, why: 'a\u001bb' })

  const { output } = await run()

  expect(output).toContain('[31mred')
  expect(output).not.toContain('\u001b')
})

it.each([
  { mistake: 'an API key', words: ['--id', 'pet_test_0'] },
  { mistake: 'text that is no id', words: ['--id', 'a b'] },
  { mistake: 'a day that does not exist', words: ['--since', '2026-02-30'] },
  { mistake: 'a time in the future', words: ['--since', '2026-11-03'] },
  { mistake: 'a time without a zone', words: ['--since', '2026-11-02T11:59'] },
])('audit does not take $mistake', async ({ words }) => {
  const { output, errors, exitCode } = await run(...words)

  expect(errors).toMatch(/is invalid\. It must be /)
  expect(output).toBe('')
  expect(exitCode).toBe(2)
})

it('audit ends without an error when nothing reads its output any more', async () => {
  record(sale)
  const { child, ended, errors } = startNode(['infra/operations/audit/audit.ts', ...environment.options])
  child.stdout.destroy()

  expect(await ended).toBe(0)
  expect(errors()).toBe('')
})
