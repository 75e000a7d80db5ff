import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import nightlyFilePolicy from '../../../../infra/operations/nightly-file-policy.json' with { type: 'json' }
import policy from '../../../../infra/operations/operator-policy.json' with { type: 'json' }
import releaseCheckPolicy from '../../../../infra/operations/release-check-policy.json' with { type: 'json' }
import { isAllowedToOperators } from '../../../fixtures/operator-policy.ts'

const guide = readFileSync(new URL('../../../../infra/README.md', import.meta.url), 'utf8')

// test/deployed/runbook.test.ts shows that the commands need what the policy allows.
it('operators may call nothing but this', () => {
  const permissions = policy.Statement.map(({ Effect, Action, Resource }) => ({ Effect, Action, Resource }))

  expect(permissions).toEqual([
    {
      Effect: 'Allow',
      Action: 'cloudformation:DescribeStacks',
      Resource: 'arn:aws:cloudformation:*:*:stack/pet-adoption-ENVIRONMENT-*',
    },
    {
      Effect: 'Allow',
      Action: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:Scan', 'dynamodb:BatchGetItem'],
      Resource: 'arn:aws:dynamodb:*:*:table/pet-adoption-ENVIRONMENT-data-ApiKeys*',
    },
    {
      Effect: 'Allow',
      Action: 'dynamodb:ListTables',
      Resource: '*',
    },
    {
      Effect: 'Allow',
      Action: ['dynamodb:PutItem', 'dynamodb:Query'],
      Resource: 'arn:aws:dynamodb:*:*:table/pet-adoption-ENVIRONMENT-data-Audit*',
    },
    {
      Effect: 'Allow',
      Action: [
        'dynamodb:GetItem',
        'dynamodb:BatchGetItem',
        'dynamodb:Query',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
      ],
      Resource: 'arn:aws:dynamodb:*:*:table/pet-adoption-ENVIRONMENT-data-Listings*',
    },
    {
      Effect: 'Allow',
      Action: ['dynamodb:BatchGetItem', 'dynamodb:Scan', 'dynamodb:PutItem'],
      Resource: 'arn:aws:dynamodb:*:*:table/pet-adoption-ENVIRONMENT-data-Pets*',
    },
    {
      Effect: 'Allow',
      // Only made-up pets are deleted, and only in staging: a removed pet stays as an item.
      Action: 'dynamodb:DeleteItem',
      Resource: 'arn:aws:dynamodb:*:*:table/pet-adoption-staging-data-Pets*',
    },
  ])
})

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

it('the role that checks a release of production may only read stacks and send the alarm', () => {
  const permissions = releaseCheckPolicy.Statement.map(({ Effect, Action, Resource }) => ({ Effect, Action, Resource }))

  expect(permissions).toEqual([
    {
      Effect: 'Allow',
      Action: ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'],
      Resource: 'arn:aws:cloudformation:*:*:stack/pet-adoption-ENVIRONMENT-*',
    },
    {
      Effect: 'Allow',
      Action: 'sns:Publish',
      Resource: 'arn:aws:sns:*:*:pet-adoption-ENVIRONMENT-api-*',
    },
  ])
})

it('the role of nightly files may keep listings, pets and their records, and read no table whole', () => {
  const permissions = nightlyFilePolicy.Statement.map(({ Effect, Action, Resource }) => ({ Effect, Action, Resource }))

  expect(permissions).toEqual([
    {
      Effect: 'Allow',
      Action: 'cloudformation:DescribeStacks',
      Resource: 'arn:aws:cloudformation:*:*:stack/pet-adoption-ENVIRONMENT-*',
    },
    {
      Effect: 'Allow',
      Action: [
        'dynamodb:GetItem',
        'dynamodb:BatchGetItem',
        'dynamodb:Query',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
      ],
      Resource: 'arn:aws:dynamodb:*:*:table/pet-adoption-ENVIRONMENT-data-Listings*',
    },
    {
      Effect: 'Allow',
      Action: ['dynamodb:BatchGetItem', 'dynamodb:PutItem'],
      Resource: 'arn:aws:dynamodb:*:*:table/pet-adoption-ENVIRONMENT-data-Pets*',
    },
    {
      Effect: 'Allow',
      Action: 'dynamodb:PutItem',
      Resource: 'arn:aws:dynamodb:*:*:table/pet-adoption-ENVIRONMENT-data-Audit*',
    },
  ])
})
