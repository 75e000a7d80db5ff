import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isAllowedToOperators } from '../../../fixtures/operator-policy.ts'

const guide = readFileSync(new URL('../../../../infra/README.md', import.meta.url), 'utf8')

/** Prefix of the names of tables that CloudFormation creates for the stack `data` of production. */
const tablePrefix = 'arn:aws:dynamodb:eu-west-1:111122223333:table/pet-adoption-production-data'

it('operators may export a copy of the pets table whose name is that of the guide', () => {
  const [, copyName = ''] = /pets -- export --table (\S+)/.exec(guide) ?? []
  expect(copyName).toBe('<name>-restored')

  const resource = copyName.replace('<name>', `${tablePrefix}-Pets7A4B-X1Y2`)

  expect(isAllowedToOperators({ action: 'dynamodb:Scan', resource })).toBe(true)
})

it('operators may not read a copy of another table with the pets', () => {
  const resource = `${tablePrefix}-Idempotency7A4B-X1Y2-restored`

  expect(isAllowedToOperators({ action: 'dynamodb:Scan', resource })).toBe(false)
})
