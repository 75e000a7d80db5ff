import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it, vi } from 'vitest'
import { createAuditCommand } from '../../../../../infra/commands/audit/audit-command.ts'
import { storeRecord } from '../../../../../infra/commands/changes/audit-table.ts'
import { type AuditRecord, type ChangeFacts, createRecord } from '../../../../../infra/commands/changes/record.ts'
import { runCommandInProcess } from '../../../../fixtures/commands/commands.ts'
import { createKeyOperator } from '../../../../fixtures/commands/key-operator.ts'
import { registerLocalEnvironment } from '../../../../fixtures/commands/registered-environment.ts'
import { createClients, createInterceptingClient } from '../../../../fixtures/database/clients.ts'
import { testTime } from '../../../../fixtures/service/clock.ts'

let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
let database: ReturnType<typeof createClients>['client']

beforeEach(async () => {
  vi.spyOn(Date, 'now').mockReturnValue(testTime)
  environment = await registerLocalEnvironment()
  database = createClients(environment.engine).client
})

const run = (...words: readonly string[]) =>
  runCommandInProcess(createAuditCommand(), [...words, ...environment.options])

/** Runs the command. @returns the ids of the changes that it prints */
const runForIds = async (...words: readonly string[]): Promise<readonly string[]> => {
  const { output } = await run(...words, '--json')
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).changeId)
}

interface SaleOptions extends Partial<ChangeFacts> {
  readonly who?: string
  readonly why?: string
  readonly secondsAgo?: number
}

/** Stores the record of the sale of a pet. */
const sell = async (id: bigint, options: SaleOptions = {}): Promise<AuditRecord> => {
  const { who = 'alice', why, secondsAgo = 0, ...change } = options
  const record = createRecord(
    {
      target: `pet#${id}`,
      action: 'pets set',
      old: { name: 'Bella', status: 'available' },
      new: { name: 'Bella', status: 'sold' },
      ...change,
    },
    { who, why },
    () => testTime - secondsAgo * 1_000,
  )
  await storeRecord({ database, tables: environment.tables }, record)
  return record
}

it('audit prints a line for each change, the oldest first, with the values that differ', async () => {
  const later = await sell(5n, { why: 'adopted' })
  const fromFile = { source: 'elm-street', number: 'A17', inputFile: 'animals.csv 1a2b3c4d' }
  const earlier = await sell(6n, { who: 'bob', secondsAgo: 3_600, ...fromFile })

  const { output, errors, exitCode } = await run()

  const sale = 'status available to sold'
  expect(output.split('\n')).toEqual([
    `${earlier.changeId}  pets set      6                 bob  ${sale}  source: elm-street A17  file: animals.csv 1a2b3c4d`,
    `${later.changeId}  pets set      5                 alice  ${sale}  why: adopted`,
    '',
  ])
  expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 0 })
})

it.each([
  { old: null, new: { id: 5, name: 'Old Bella', categoryId: 1 }, words: 'added: name "Old Bella", category id 1' },
  { old: { name: 'Bella' }, new: { name: 'Bella', removed: 'by hand' }, words: 'removed by hand: name Bella' },
  {
    old: { removed: 'by source', row: 'gone' },
    new: { name: 'Bella', row: '1a2b3c4d' },
    words: 'returned: name Bella',
  },
  { old: { name: 'A', row: '1a2b3c4d' }, new: { name: 'B', row: '5e6f7a8b' }, words: 'name A to B' },
  { old: { name: 'A', row: '1a2b3c4d' }, new: { name: 'A', row: 'gone' }, words: 'only what the file says' },
  { old: { contact: null }, new: { contact: 'a@zoo.org' }, words: 'contact a@zoo.org (none before)' },
  { old: { expiresAt: '2026-12-31' }, new: { expiresAt: null }, words: 'no expires at (2026-12-31 before)' },
])('audit shows in words, without the hash of a row: $words', async ({ words, ...values }) => {
  await sell(5n, values)

  const { output } = await run()

  expect(/ {2}alice {2}(?<words>.*)\n$/.exec(output)?.groups?.['words']).toBe(words)
})

it('audit selects changes by id, time, text and source', async () => {
  const { changeId: first } = await sell(5n, { secondsAgo: 3 * 86_400, why: 'Adopted by a family' })
  const fromFile = { source: 'elm-street', number: 'A17' }
  const { changeId: second } = await sell(6n, { who: 'arn:aws:iam::1:user/Bob', ...fromFile })

  // Without an id, audit shows the changes of the last 24 hours.
  expect(await runForIds()).toEqual([second])
  expect(await runForIds('5')).toEqual([first])
  expect(await runForIds('5', '--since', '24h')).toEqual([])
  expect(await runForIds('--since', '7d')).toEqual([first, second])
  expect(await runForIds('--since', '7d', '--match', 'bob')).toEqual([second])
  expect(await runForIds('--since', '7d', '--match', 'adopted')).toEqual([first])
  expect(await runForIds('--source', 'elm-street')).toEqual([second])
})

it('audit shows all changes of the animal that has a number at its shelter', async () => {
  const Item = { source: 'elm-street', number: 'A17', petId: 5 }
  await database.send(new PutCommand({ TableName: environment.tables.listings, Item }))
  const { changeId } = await sell(5n, { secondsAgo: 30 * 86_400, source: 'elm-street', number: 'A17' })

  expect(await runForIds('--source', 'elm-street', '--number', 'A17')).toEqual([changeId])
  expect(await run('--source', 'elm-street', '--number', 'A18')).toMatchObject({
    errors: 'The source elm-street has no animal A18.\n',
    exitCode: 1,
  })
})

it('audit reads all pages of a day', async () => {
  // A page of DynamoDB has at most 1 MB, so these four records of 300 kB are on two pages.
  for (const id of [5n, 6n, 7n, 8n]) await sell(id, { why: 'x'.repeat(300_000) })

  expect(await runForIds()).toHaveLength(4)
})

it('audit escapes values that change a terminal', async () => {
  await sell(5n, { who: 'a\u001b[2J' })

  const { output } = await run()

  expect(output).toContain('a\\u{1b}[2J')
})

/** Opens the API keys for an operator, whose calls to DynamoDB go through a client. */
const openKeys = (client = database) =>
  createKeyOperator({ name: 'local', database: client, tables: environment.tables }, { clock: () => testTime })

const order = { owner: 'x', plan: 'free', limits: { perMinute: 1, perDay: 1 } } as const

it('audit shows a change of a key with times as text, and without its API Gateway key', async () => {
  const keys = openKeys()
  const { record } = await keys.issue(order)
  await keys.set(record.keyId, { expiresAt: Date.UTC(2026, 11, 31) / 1_000 })

  const { output } = await run(record.keyId)
  const { output: json } = await run(record.keyId, '--json')

  expect(output).toContain('expires at 2026-12-31T00:00:00Z (none before)')
  expect(json).toContain('"new":{"expiresAt":"2026-12-31T00:00:00Z"')
  expect(output + json).not.toContain('gatewayKey')
})

it('audit says which change of a key was not made, also if a filter shows it without the others', async () => {
  const { record } = await openKeys().issue(order)
  const failingClient = createInterceptingClient(environment.engine, 'UpdateItem', () => Promise.reject(new Error()))
  await openKeys(failingClient)
    .set(record.keyId, { owner: 'lost' })
    .catch(() => undefined)
  await openKeys().set(record.keyId, { owner: 'made' })

  const lost = await run(record.keyId, '--match', 'lost')
  const made = await run(record.keyId, '--match', 'to made')
  const issued = await run(record.keyId, '--match', 'keys issue')

  expect(lost.output).toMatch(/owner x to lost {2}not made so far\n$/)
  expect(lost.errors).toBe('1 change not made so far. A command that still runs may make its change yet.\n')
  expect([made.output, issued.output].join('')).not.toContain('not made')
  expect(issued.output).toContain('added: owner x')
})

it.each([
  { words: ['pet_test_0123'], sentence: 'It must be the id of a pet, such as 150739, or of an API key' },
  { words: ['--since', '2999-01-01'], sentence: 'It must be a time in the past' },
  { words: ['--number', 'A17'], sentence: '--number needs --source.' },
  { words: ['5', '--source', 'elm-street', '--number', 'A17'], sentence: 'Give an id or a number, not both.' },
])('audit $words is a mistake', async ({ words, sentence }) => {
  const { errors, exitCode } = await run(...words)

  expect(errors).toContain(sentence)
  expect(exitCode).toBe(2)
})
