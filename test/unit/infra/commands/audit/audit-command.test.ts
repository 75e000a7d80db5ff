import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { createAuditCommand } from '../../../../../infra/commands/audit/audit-command.ts'
import { type AuditRecord, ChangeAudit } from '../../../../../infra/commands/environment/change-audit.ts'
import { createKeysCommand } from '../../../../../infra/commands/keys/keys-command.ts'
import { registerLocalEnvironment, runCommandInProcess } from '../../../../fixtures/commands/commands.ts'
import { createClients } from '../../../../fixtures/database/clients.ts'
import { noon } from '../../../../fixtures/service/clock.ts'

let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
let database: ReturnType<typeof createClients>['client']

beforeEach(async () => {
  environment = await registerLocalEnvironment()
  database = createClients(environment.engine).client
})

const run = (...words: readonly string[]) =>
  runCommandInProcess(
    createAuditCommand(() => noon),
    [...words, ...environment.options],
  )

const runForIds = async (...words: readonly string[]): Promise<readonly string[]> => {
  const { output } = await run(...words, '--json')
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).changeId)
}

interface ChangeOptions {
  readonly who?: string
  readonly why?: string
  readonly secondsAgo?: number
  readonly source?: string
  readonly previous?: AuditRecord | undefined
  /** Whether the change is made after it was recorded. @default true */
  readonly isMade?: boolean
}

/** Records a sale of a pet, and makes it. */
const sell = async (id: number, options: ChangeOptions = {}): Promise<AuditRecord> => {
  const { who = 'alice', why, secondsAgo = 0, source, previous, isMade = true } = options
  const audit = new ChangeAudit(
    { database, tables: environment.tables },
    { who, why, clock: () => noon - secondsAgo * 1_000 },
  )
  const record = audit.draft({
    target: `pet#${id}`,
    itemKey: { id },
    action: 'pets set',
    previous: previous?.changeId,
    old: { name: 'Bella', status: 'available' },
    new: { name: 'Bella', status: 'sold' },
    source,
  })
  await audit.record(record)
  const item = { id, status: 'sold', changeId: record.changeId }
  if (isMade) await database.send(new PutCommand({ TableName: environment.tables.pets, Item: item }))
  return record
}

it('audit prints a line for each change, the oldest first, with the values that differ', async () => {
  const later = await sell(5, { why: 'adopted' })
  const earlier = await sell(6, { who: 'bob', secondsAgo: 3_600, source: 'elm-street' })

  const { output, errors, exitCode } = await run()

  const sale = 'status: "available" -> "sold"'
  expect(output.split('\n')).toEqual([
    `${earlier.changeId}  made             pets set      6                 bob  ${sale}  source: elm-street`,
    `${later.changeId}  made             pets set      5                 alice  ${sale}  why: adopted`,
    '',
  ])
  expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 0 })
})

it('a change that was never made is named as such, also after another change of the pet', async () => {
  const lost = await sell(5, { secondsAgo: 60, isMade: false })
  const made = await sell(5, { secondsAgo: 30 })
  await sell(5, { previous: made })

  const { output, errors } = await run('5')

  expect(output.split('\n').map((line) => line.slice(0, 50).trimEnd())).toEqual([
    `${lost.changeId}  not made so far`,
    expect.stringMatching(`^${made.changeId}  made`),
    expect.stringMatching(/ made$/),
    '',
  ])
  expect(errors).toBe('1 change not made so far. A command that still runs may make its change yet.\n')
})

it('audit selects changes by id, day, time, operator, reason and source', async () => {
  const { changeId: first } = await sell(5, { secondsAgo: 3 * 86_400, why: 'Adopted by a family' })
  const { changeId: second } = await sell(6, { who: 'arn:aws:iam::1:user/Bob', source: 'elm-street' })

  expect(await runForIds()).toEqual([second])
  expect(await runForIds('5')).toEqual([first])
  expect(await runForIds('--day', first.slice(0, 10))).toEqual([first])
  expect(await runForIds('--since', '7d')).toEqual([first, second])
  expect(await runForIds('--since', '7d', '--who', 'bob')).toEqual([second])
  expect(await runForIds('--since', '7d', '--why', 'adopted')).toEqual([first])
  expect(await runForIds('--since', '7d', '--source', 'elm-street')).toEqual([second])
  expect(await runForIds('5', '--since', '24h')).toEqual([])
})

it('an outcome depends on records that a filter hides', async () => {
  const first = await sell(5, { who: 'alice', secondsAgo: 60 })
  await sell(5, { who: 'bob', previous: first })

  const { output } = await run('--who', 'alice', '--json')

  expect(JSON.parse(output)).toMatchObject({ changeId: first.changeId, id: '5', outcome: 'made' })
})

it('audit reads all pages of a day', async () => {
  await Promise.all(Array.from({ length: 101 }, (_, index) => sell(index + 1, { isMade: false })))

  expect(await runForIds()).toHaveLength(101)
})

it('a record that has expired is not shown', async () => {
  const record = await sell(5)
  const expired = { ...record, expiresAt: noon / 1_000 }
  await database.send(new PutCommand({ TableName: environment.tables.audit, Item: expired }))

  expect(await run('5')).toEqual({
    output: '',
    errors: 'The audit has no matching change of the pet 5.\n',
    exitCode: 0,
  })
})

it('a change of a key is shown with times as text, and without its API Gateway key', async () => {
  const keysCommand = createKeysCommand(() => noon)
  const order = ['issue', '--plan', 'free', '--owner', 'x', '--json', ...environment.options]
  const { keyId } = JSON.parse((await runCommandInProcess(keysCommand, order)).output)
  const change = ['set', keyId, '--expires', '2026-12-31', ...environment.options]
  await runCommandInProcess(
    createKeysCommand(() => noon),
    change,
  )

  const { output } = await run(keyId)
  const { output: json } = await run(keyId, '--json')

  expect(output).toContain('expiresAt: null -> "2026-12-31T00:00:00Z"')
  expect(JSON.parse(json.split('\n')[1] ?? '')).toMatchObject({ new: { expiresAt: '2026-12-31T00:00:00Z' } })
  expect(output + json).not.toContain('gatewayKey')
})

it('values that change a terminal are escaped', async () => {
  await sell(5, { who: 'a\u001b[2J' })

  const { output } = await run()

  expect(output).toContain('a\\u{1b}[2J')
})

it.each([
  { words: ['pet_test_0123'], sentence: 'must be the id of a pet' },
  { words: ['abc'], sentence: 'must be the id of a pet' },
  { words: ['--day', '2026-02-30'], sentence: '--day' },
  { words: ['--since', '2999-01-01'], sentence: 'time in the past' },
  { words: ['--since', 'yesterday'], sentence: 'time in the past' },
])('audit $words is a mistake', async ({ words, sentence }) => {
  const { errors, exitCode } = await run(...words)

  expect(errors).toContain(sentence)
  expect(exitCode).toBe(2)
})
