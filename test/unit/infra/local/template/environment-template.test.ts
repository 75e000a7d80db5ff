// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub writes its variables like this.
import { expect, test } from 'vitest'
import {
  readEnvironmentTemplate,
  resolveEnvironmentTemplate,
} from '../../../../../infra/local/template/environment-template.ts'
import { readStacks } from '../../../../../infra/local/template/stacks.ts'
import { sharedAssembly } from '../../../../fixtures/local-environment.ts'

test('The template of an environment has the same names and identifiers at each start', () => {
  const [one, other] = [0, 1].map(() => readEnvironmentTemplate(sharedAssembly, 'staging'))
  expect(one).toEqual(other)
})

const source = (ApiKeySourceType: unknown) => ['ApiGateway::RestApi', { ApiKeySourceType }] as const
const response = (properties: object) => ['ApiGateway::GatewayResponse', properties] as const

test.each<[type: string, change: object, sentence: string]>([
  [...source('HEADER'), 'ApiKeySourceType HEADER of the REST API: use "AUTHORIZER"'],
  ['ApiGateway::Authorizer', { AuthorizerResultTtlInSeconds: 300 }, 'InSeconds 300 of the authorizer: use 0'],
  ['ApiGateway::Authorizer', { Type: 'TOKEN' }, 'Type TOKEN of the authorizer: use "REQUEST"'],
  [...response({ ResponseTemplates: { 'application/json': '$context.stage' } }), 'variables in the body'],
  [...response({ ResponseParameters: { 'gatewayresponse.header.A': 'context.a' } }), 'but literals in single quotes'],
  ['ApiGateway::Method', { AuthorizationType: 'AWS_IAM' }, 'AuthorizationType AWS_IAM of '],
  ['ApiGateway::Method', { Integration: { Type: 'HTTP' } }, 'use AWS_PROXY, or MOCK'],
  // What an intrinsic function gives is in the sentence.
  [...source({ 'Fn::Join': ['/', ['a', { Ref: 'AWS::Partition' }]] }), 'ApiKeySourceType a/aws of'],
  [...source({ 'Fn::Select': [1, { 'Fn::Split': ['-', 'a-b-c'] }] }), 'ApiKeySourceType b of'],
  [...source({ 'Fn::Sub': 'x-${AWS::Region}' }), 'ApiKeySourceType x-us-east-1 of'],
  [...source({ Ref: 'Missing' }), 'Missing, to which stack pet-adoption-staging-api refers'],
  [...source({ 'Fn::ImportValue': 'nothing' }), 'the import of nothing, which no stack exports'],
  [...source({ 'Fn::Cidr': [] }), 'does not support Fn::Cidr'],
])('A template with another %s is an error in a sentence: %j', (type, change, sentence) => {
  const stacks = readStacks(sharedAssembly, 'staging')
  const resources = stacks.flatMap(({ template }) => Object.values(template.Resources))
  Object.assign(resources.find(({ Type }) => Type === `AWS::${type}`)?.Properties ?? {}, change)
  expect(() => resolveEnvironmentTemplate(stacks)).toThrow(sentence)
})
