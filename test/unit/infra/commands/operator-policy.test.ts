import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isAllowedToOperators } from '../../../fixtures/commands/operator-policy.ts'

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
