import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import nightlyFilePolicy from '../../../../infra/commands/nightly-file-policy.json' with { type: 'json' }
import policy from '../../../../infra/commands/operator-policy.json' with { type: 'json' }
import releaseCheckPolicy from '../../../../infra/commands/release-check-policy.json' with { type: 'json' }
import { isAllowedToOperators } from '../../../fixtures/commands/operator-policy.ts'

const guide = readFileSync(new URL('../../../../infra/README.md', import.meta.url), 'utf8')

type Policy = typeof policy | typeof nightlyFilePolicy | typeof releaseCheckPolicy

/** Lists each action that a policy allows, with the name of the resource at the end of its ARN. */
const listPermissions = ({ Statement }: Policy): readonly string[] =>
  Statement.flatMap(({ Effect, Action, Resource }) =>
    [Action].flat().map((action) => {
      const resource = Resource.replace(/^arn:aws:\w+:\*:\*:/, '').replace('pet-adoption-ENVIRONMENT-', '')
      return `${Effect} ${action} on ${resource}`
    }),
  ).toSorted()

// test/deployed/runbook.test.ts shows that the commands need what the policy allows.
it('operators may call nothing but this', () => {
  expect(listPermissions(policy)).toEqual([
    'Allow cloudformation:DescribeStacks on stack/*',
    'Allow dynamodb:BatchGetItem on table/data-ApiKeys*',
    'Allow dynamodb:BatchGetItem on table/data-Listings*',
    'Allow dynamodb:BatchGetItem on table/data-Pets*',
    'Allow dynamodb:GetItem on table/data-Listings*',
    'Allow dynamodb:ListTables on *',
    'Allow dynamodb:PutItem on table/data-ApiKeys*',
    'Allow dynamodb:PutItem on table/data-Audit*',
    'Allow dynamodb:PutItem on table/data-Listings*',
    'Allow dynamodb:PutItem on table/data-Pets*',
    'Allow dynamodb:Query on table/data-Audit*',
    'Allow dynamodb:Query on table/data-Listings*',
    'Allow dynamodb:Scan on table/data-ApiKeys*',
    'Allow dynamodb:Scan on table/data-Pets*',
    'Allow dynamodb:UpdateItem on table/data-ApiKeys*',
    'Allow dynamodb:UpdateItem on table/data-Listings*',
  ])
})

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

it('the role that checks a release of production may only read stacks and send the alarm', () => {
  expect(listPermissions(releaseCheckPolicy)).toEqual([
    'Allow cloudformation:DescribeStacks on stack/*',
    'Allow cloudformation:GetTemplate on stack/*',
    'Allow sns:Publish on api-*',
  ])
})

it('the role of nightly files may keep listings, pets and their records, and read no table whole', () => {
  expect(listPermissions(nightlyFilePolicy)).toEqual([
    'Allow cloudformation:DescribeStacks on stack/*',
    'Allow dynamodb:BatchGetItem on table/data-Listings*',
    'Allow dynamodb:BatchGetItem on table/data-Pets*',
    'Allow dynamodb:GetItem on table/data-Listings*',
    'Allow dynamodb:PutItem on table/data-Audit*',
    'Allow dynamodb:PutItem on table/data-Listings*',
    'Allow dynamodb:PutItem on table/data-Pets*',
    'Allow dynamodb:Query on table/data-Listings*',
    'Allow dynamodb:UpdateItem on table/data-Listings*',
  ])
})
