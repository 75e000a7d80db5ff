import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { operatorCommands, runCommandInProcess } from '../../../fixtures/commands/commands.ts'
import { isAllowedToOperators, listUnused, operatorPolicy } from '../../../fixtures/commands/operator-policy.ts'
import { openFaultWorld } from './environment/faulty-commands.ts'
import { petRows } from './environment/pet-rows.ts'

const guide = readFileSync(new URL('../../../../infra/README.md', import.meta.url), 'utf8')

/** Prefix of the names of tables that CloudFormation creates for the stack `data` of production. */
const tablePrefix = 'arn:aws:dynamodb:eu-west-1:111122223333:table/pet-adoption-production-data'

it('operators may export a copy of the pets table whose name is that of the guide, and of no other table', () => {
  const [, copyName = ''] = /pets -- export --table (\S+)/.exec(guide) ?? []
  expect(copyName).toBe('<name>-restored')
  const mayScanCopyOf = (table: string): boolean =>
    isAllowedToOperators({ action: 'dynamodb:Scan', resource: copyName.replace('<name>', `${tablePrefix}-${table}`) })

  expect(mayScanCopyOf('Pets7A4B-X1Y2')).toBe(true)
  expect(mayScanCopyOf('Idempotency7A4B-X1Y2')).toBe(false)
})

// command-faults.test.ts shows that the policies allow every call of the commands.
it('the policy of operators allows no action on a table that no command needs', async () => {
  await using world = await openFaultWorld()
  const reindex = petRows.find(({ name }) => name === 'pets sync --reindex')
  const commandLines = [
    ['pets', ...((await reindex?.prepare(world)) ?? [])],
    ['pets', 'show', '--source', 'elm-street', '--number', 'N1'],
    ['keys', 'revoke', world.keyId],
    ['audit', '--since', '1h'],
  ]
  for (const [name = '', ...words] of commandLines) {
    const command = operatorCommands[name]?.()
    if (command === undefined) throw new Error(`There is no command ${name}.`)
    const { errors, exitCode } = await runCommandInProcess(command, [...words, ...world.options])
    expect(exitCode, errors).toBe(0)
  }

  // A command reads one record after a transaction without an answer.
  expect(listUnused(operatorPolicy, world.calls, world.tables)).toEqual(['dynamodb:GetItem of Audit'])
})
