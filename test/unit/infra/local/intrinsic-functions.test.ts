// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub writes its variables like this.
import { describe, expect, test } from 'vitest'
import { createResolve } from '../../../../infra/local/template/intrinsic-functions.ts'
import { functionNameIn } from '../../../../infra/local/template/physical-names.ts'
import type { Resource, Stack } from '../../../../infra/synthesis/assembly.ts'

const stack = (name: string, resources: readonly Resource[], outputs: Stack['outputs'] = {}): Stack => ({
  name,
  resources: new Map(resources.map((resource) => [resource.logicalId, resource])),
  outputs,
  assetFolders: new Map(),
})

const data = stack(
  'data',
  [
    { logicalId: 'Pets', type: 'AWS::DynamoDB::Table', properties: {} },
    { logicalId: 'Named', type: 'AWS::DynamoDB::Table', properties: { TableName: 'given' } },
  ],
  { PetsName: { Value: { Ref: 'Pets' }, Export: { Name: { 'Fn::Sub': '${AWS::StackName}:pets' } } } },
)
const api = stack('api', [
  { logicalId: 'Handler', type: 'AWS::Lambda::Function', properties: {} },
  { logicalId: 'Version', type: 'AWS::Lambda::Version', properties: { FunctionName: { Ref: 'Handler' } } },
  {
    logicalId: 'Alias',
    type: 'AWS::Lambda::Alias',
    properties: {
      Name: 'live',
      FunctionName: { Ref: 'Handler' },
      FunctionVersion: { 'Fn::GetAtt': ['Version', 'Version'] },
    },
  },
  { logicalId: 'Stage', type: 'AWS::ApiGateway::Stage', properties: { StageName: 'v1' } },
])
const resolve = createResolve([data, api])

describe('Intrinsic functions', () => {
  test.each([
    ['Ref of a table without a name', data, { Ref: 'Pets' }, 'data-Pets'],
    ['Ref of a table with a name', data, { Ref: 'Named' }, 'given'],
    ['Ref of a stage', api, { Ref: 'Stage' }, 'v1'],
    ['Ref of a pseudo parameter', api, { Ref: 'AWS::Partition' }, 'aws'],
    ['Fn::GetAtt', data, { 'Fn::GetAtt': ['Pets', 'Arn'] }, 'arn:aws:dynamodb:us-east-1:000000000000:table/data-Pets'],
    ['Fn::Join', api, { 'Fn::Join': ['/', ['a', { Ref: 'Stage' }, 1]] }, 'a/v1/1'],
    [
      'Fn::Sub',
      api,
      { 'Fn::Sub': 'x-${Stage}-${Handler.Arn}-${!Kept}' },
      'x-v1-arn:aws:lambda:us-east-1:000000000000:function:api-Handler-${Kept}',
    ],
    ['Fn::Sub with variables', api, { 'Fn::Sub': ['${Own}/${Stage}', { Own: { Ref: 'Stage' } }] }, 'v1/v1'],
    ['Fn::Select of Fn::Split', api, { 'Fn::Select': [1, { 'Fn::Split': ['-', 'a-b-c'] }] }, 'b'],
    ['Fn::ImportValue of another stack', api, { 'Fn::ImportValue': 'data:pets' }, 'data-Pets'],
  ])('%s', (_name, from, value, expected) => {
    expect(resolve(from, value)).toBe(expected)
  })

  test('A property whose value is AWS::NoValue is not there', () => {
    expect(resolve(api, { A: { Ref: 'AWS::NoValue' }, B: [1, { Ref: 'AWS::NoValue' }] })).toEqual({ B: [1] })
  })

  test('An alias and a version lead to their function', () => {
    const uri = (logicalId: string): unknown =>
      resolve(api, { 'Fn::Sub': `arn:aws:apigateway:us-east-1:lambda:path/functions/\${${logicalId}}/invocations` })
    expect(functionNameIn(String(uri('Alias')))).toBe('api-Handler')
    expect(functionNameIn(String(uri('Version')))).toBe('api-Handler')
    expect(functionNameIn(String(uri('Handler.Arn')))).toBe('api-Handler')
  })

  test('An alias whose function is named by ARN leads to it too', () => {
    const properties = { Name: 'live', FunctionName: { 'Fn::GetAtt': ['Handler', 'Arn'] } }
    const byArn = stack('api', [
      ...api.resources.values(),
      { logicalId: 'Other', type: 'AWS::Lambda::Alias', properties },
    ])
    expect(functionNameIn(String(createResolve([byArn])(byArn, { Ref: 'Other' })))).toBe('api-Handler')
  })

  test.each([
    ['a resource that is not there', { Ref: 'Missing' }, 'Stack api refers to Missing'],
    ['an export that is not there', { 'Fn::ImportValue': 'nothing' }, 'No stack exports nothing'],
    ['a function that nobody wrote', { 'Fn::Cidr': [] }, 'does not know Fn::Cidr'],
  ])('%s is said in a sentence', (_name, value, sentence) => {
    expect(() => resolve(api, value)).toThrow(sentence)
  })
})
