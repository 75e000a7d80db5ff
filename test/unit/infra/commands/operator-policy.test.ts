import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { operatorCommands, runCommandInProcess } from '../../../fixtures/commands/commands.ts'
import { formatFile, settingsText } from '../../../fixtures/commands/nightly-file.ts'
import {
  isAllowedToOperators,
  listForbidden,
  listUnused,
  operatorPolicy,
} from '../../../fixtures/commands/operator-policy.ts'
import { registerEnvironmentWithProxy } from '../../../fixtures/commands/registered-environment.ts'

const guide = readFileSync(new URL('../../../../infra/README.md', import.meta.url), 'utf8')

/** Prefix of the ARNs of tables that CloudFormation creates for the stack `data` of production. */
const tablePrefix = 'arn:aws:dynamodb:eu-west-1:111122223333:table/pet-adoption-production-data'

it('operators may export a copy of the pets table whose name is that of the guide, and of no other table', () => {
  const [, copyName = ''] = /pets -- export --table (\S+)/.exec(guide) ?? []
  expect(copyName).toBe('<name>-restored')
  const mayScanCopyOf = (table: string): boolean =>
    isAllowedToOperators({ action: 'dynamodb:Scan', resource: copyName.replace('<name>', `${tablePrefix}-${table}`) })

  // CloudFormation puts random characters after the name of a table.
  expect(mayScanCopyOf('Pets7A4B-X1Y2')).toBe(true)
  expect(mayScanCopyOf('Idempotency7A4B-X1Y2')).toBe(false)
})

it('the policy of operators allows every action of the commands, and none that no command needs', async () => {
  const environment = await registerEnvironmentWithProxy()
  const [settings, file] = [
    join(environment.dataFolder, 'elm-street.yaml'),
    join(environment.dataFolder, 'animals.csv'),
  ]
  writeFileSync(settings, settingsText)
  writeFileSync(file, formatFile({ N1: 'Rex' }))
  const run = async (name: string, ...words: readonly string[]): Promise<string> => {
    const command = operatorCommands[name]?.()
    if (command === undefined) throw new Error(`There is no command ${name}.`)
    const result = await runCommandInProcess(command, [...words, ...environment.options])
    expect(result.exitCode, result.errors).toBe(0)
    return result.output
  }

  await run('pets', 'sync', file, '--source', settings, '--accept-changes')
  await run('pets', 'show', '--source', 'elm-street', '--number', 'N1')
  await run('pets', 'sources')
  const issued = await run('keys', 'issue', '--plan', 'free', '--scope', 'read', '--owner', 'Acme', '--json')
  const { keyId } = JSON.parse(issued)
  await run('keys', 'revoke', keyId)
  await run('audit', '--since', '1h')
  await run('audit', keyId)

  expect(listForbidden(operatorPolicy, environment.proxy.calls, environment.tables)).toEqual([])
  // GetItem reads a record after a transaction without an answer, which no command of this test has.
  expect(listUnused(operatorPolicy, environment.proxy.calls, environment.tables)).toEqual(['dynamodb:GetItem of Audit'])
})
