// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub writes its variables like this.
import { describe, expect, test } from 'vitest'
import { createResolve } from '../../../../../infra/local/template/intrinsic-functions.ts'
import { namedFunction } from '../../../../../infra/local/template/physical-names.ts'
import type { Resource, Stack } from '../../../../../infra/synthesis/assembly.ts'

const stack = (name: string, resources: readonly Resource[], outputs: Stack['outputs'] = {}): Stack => ({
  name,
  resources: new Map(resources.map((resource) => [resource.logicalId, resource])),
  outputs,
  templateFile: '',
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
  {
    logicalId: 'Alias',
    type: 'AWS::Lambda::Alias',
    properties: { Name: 'live', FunctionName: { Ref: 'Handler' } },
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
    [
      'Fn::GetAtt',
      api,
      { 'Fn::GetAtt': ['Handler', 'Arn'] },
      'arn:aws:lambda:us-east-1:000000000000:function:api-Handler',
    ],
    ['Fn::Join', api, { 'Fn::Join': ['/', ['a', { Ref: 'Stage' }]] }, 'a/v1'],
    ['Fn::Sub', api, { 'Fn::Sub': 'x-${Stage}-${AWS::Region}' }, 'x-v1-us-east-1'],
    ['Fn::Select of Fn::Split', api, { 'Fn::Select': [1, { 'Fn::Split': ['-', 'a-b-c'] }] }, 'b'],
    ['Fn::ImportValue of another stack', api, { 'Fn::ImportValue': 'data:pets' }, 'data-Pets'],
  ])('%s', (_name, from, value, expected) => {
    expect(resolve(from, value)).toBe(expected)
  })

  test.each(['Alias', 'Handler'])('The function is found in the URI of an integration with %s', (logicalId) => {
    const arn = logicalId === 'Alias' ? { Ref: 'Alias' } : { 'Fn::GetAtt': ['Handler', 'Arn'] }
    const uri = { 'Fn::Join': ['', ['arn:aws:apigateway:us-east-1:lambda:path/functions/', arn, '/invocations']] }
    expect(namedFunction(resolve(api, uri), 'The URI')).toBe('api-Handler')
  })

  test.each([
    ['a missing resource', { Ref: 'Missing' }, 'Stack api refers to Missing'],
    ['a missing export', { 'Fn::ImportValue': 'nothing' }, 'No stack exports nothing'],
    ['an unsupported function', { 'Fn::Cidr': [] }, 'does not support Fn::Cidr'],
    ['Fn::Sub with variables', { 'Fn::Sub': ['${Own}', { Own: 'a' }] }, 'Fn::Sub must be a text'],
  ])('%s is reported in a sentence', (_name, value, sentence) => {
    expect(() => resolve(api, value)).toThrow(sentence)
  })
})
