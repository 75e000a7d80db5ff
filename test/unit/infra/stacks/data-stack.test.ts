import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { defaults } from '../../../../infra/environments.ts'
import { DataStack } from '../../../../infra/stacks/data-stack.ts'
import { findResources, synthesizeTemplates } from '../../../fixtures/environment/templates.ts'

const production = synthesizeTemplates('production').data

it('the tables of production stay when a stack is deleted or would replace them', () => {
  const tables = Object.values(findResources(production, 'AWS::DynamoDB::Table'))

  expect(tables).toHaveLength(5)
  for (const table of tables) expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
})

it.each([
  { records: 'idempotency records', logicalId: 'IdempotencyC15CBC33' },
  { records: 'records of the audit', logicalId: 'Audit3D8ADE0A' },
])('$records are deleted when their time is over', ({ logicalId }) => {
  expect(findResources(production)[logicalId]).toMatchObject({
    Properties: { TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } },
  })
})

describe('the exports of the tables', () => {
  const dataStackAlone = Template.fromStack(
    new DataStack(new App(), 'alone', { environment: 'production', config: defaults.production }),
  )

  it.each([
    { name: 'a data stack that no other stack uses', template: dataStackAlone },
    { name: 'the data stack of production', template: production },
  ])('$name exports the names and ARNs of the tables', ({ template }) => {
    const exportedValues = Object.values(template.findOutputs('*', { Export: {} })).map(({ Value }) => Value)

    expect(new Set(exportedValues)).toEqual(
      new Set([
        { Ref: 'ApiKeys3BB3983D' },
        { 'Fn::GetAtt': ['ApiKeys3BB3983D', 'Arn'] },
        { Ref: 'IdempotencyC15CBC33' },
        { 'Fn::GetAtt': ['IdempotencyC15CBC33', 'Arn'] },
        { Ref: 'Pets118546E0' },
        { 'Fn::GetAtt': ['Pets118546E0', 'Arn'] },
      ]),
    )
  })
})
