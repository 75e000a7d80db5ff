import { App, type Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { defaults, type EnvironmentName } from '../../../../infra/environments.ts'
import { DataStack } from '../../../../infra/stacks/data-stack.ts'
import { createStage, resourcesOf, synthesize } from '../synthesized.ts'

const templates = { staging: synthesize('staging').data, production: synthesize('production').data }
const tablesOf = (environment: EnvironmentName) => resourcesOf(templates[environment], 'AWS::DynamoDB::Table')

const logicalIds = { pets: 'Pets118546E0', apiKeys: 'ApiKeys3BB3983D', idempotency: 'IdempotencyC15CBC33' }

describe.each(['staging', 'production'] as const)('the tables of %s', (environment) => {
  const tables = tablesOf(environment)

  it('are exported by name and ARN, whether or not another stack uses them', () => {
    const { data } = createStage(environment)
    const alone = new DataStack(new App(), 'alone', { config: defaults[environment] })
    const exportsOf = (stack: Stack) =>
      Object.entries<{ Export?: unknown; Value: unknown }>(Template.fromStack(stack).toJSON()['Outputs']).flatMap(
        ([id, { Export, Value }]) => (Export === undefined ? [] : [[id, Value]]),
      )
    const values = Object.values(logicalIds).flatMap((id) => [{ Ref: id }, { 'Fn::GetAtt': [id, 'Arn'] }])
    expect(exportsOf(alone).map(([, value]) => value)).toEqual(expect.arrayContaining(values))
    expect(exportsOf(data)).toEqual(exportsOf(alone))
  })

  it('list pets with all that a list shows, and have no index of API keys, to which counting would write', () => {
    expect(tables[logicalIds.pets]?.Properties).toMatchObject({
      GlobalSecondaryIndexes: [{ Projection: { ProjectionType: 'ALL' } }],
    })
    expect(tables[logicalIds.apiKeys]?.Properties).not.toHaveProperty('GlobalSecondaryIndexes')
  })

  it('forget idempotency records when their time is over', () => {
    expect(tables[logicalIds.idempotency]?.Properties).toMatchObject({
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    })
  })

  it('are paid by request, and have no name of their own, which a second copy could not have', () => {
    for (const { Properties } of Object.values(tables)) {
      expect(Properties).toMatchObject({ BillingMode: 'PAY_PER_REQUEST' })
      expect(Properties).not.toHaveProperty('TableName')
    }
  })
})
