// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub writes its variables like this.
import { describe, expect, test } from 'vitest'
import { localStage } from '../../../../../infra/environments.ts'
import {
  readEnvironmentTemplate,
  resolveEnvironmentTemplate,
} from '../../../../../infra/local/template/environment-template.ts'
import { readStacks, resolveStacks } from '../../../../../infra/local/template/stacks.ts'
import { sharedAssembly } from '../../../../fixtures/environment/local-environment.ts'

// An existing data folder has its items under these names.
test('the tables of the local environment are named after their stack and their logical ids', () => {
  const { names, tables } = readEnvironmentTemplate(sharedAssembly, localStage)

  expect(names.tables).toEqual({
    pets: 'pet-adoption-staging-data-Pets118546E0',
    apiKeys: 'pet-adoption-staging-data-ApiKeys3BB3983D',
    audit: 'pet-adoption-staging-data-Audit3D8ADE0A',
    listings: 'pet-adoption-staging-data-Listings184A7881',
    idempotency: 'pet-adoption-staging-data-IdempotencyC15CBC33',
  })
  expect(tables.map(({ name }) => name)).toEqual(Object.values(names.tables))
})

test('an output that no stack has is an error that names it', () => {
  const { findOutput } = resolveStacks(readStacks(sharedAssembly, localStage))

  expect(() => findOutput('Missing')).toThrow('does not support stacks without the output Missing.')
})

/** Resolves the template of the local stage after a change of properties in the first resource of a type. */
const resolveChanged = (type: string, properties: object) => {
  const stacks = readStacks(sharedAssembly, localStage)
  const resources = stacks.flatMap(({ template }) => Object.values(template.Resources))
  const resource = resources.find(({ Type }) => Type === `AWS::${type}`)
  Object.assign(resource?.Properties ?? {}, properties)
  return resolveEnvironmentTemplate(stacks)
}

test.each([
  {
    type: 'ApiGateway::RestApi',
    properties: { ApiKeySourceType: 'HEADER' },
    sentence: 'ApiKeySourceType HEADER of the REST API: use "AUTHORIZER"',
  },
  {
    type: 'ApiGateway::Authorizer',
    properties: { AuthorizerResultTtlInSeconds: 300 },
    sentence: 'AuthorizerResultTtlInSeconds 300 of the authorizer: use 0',
  },
  {
    type: 'ApiGateway::Authorizer',
    properties: { Type: 'TOKEN' },
    sentence: 'Type TOKEN of the authorizer: use "REQUEST"',
  },
  {
    type: 'ApiGateway::GatewayResponse',
    properties: { ResponseTemplates: { 'application/json': '$context.stage' } },
    sentence: 'variables in the body of the gateway response ',
  },
  {
    type: 'ApiGateway::GatewayResponse',
    properties: { ResponseParameters: { 'gatewayresponse.header.A': 'context.a' } },
    sentence: 'but literals in single quotes',
  },
  {
    type: 'ApiGateway::Method',
    properties: { AuthorizationType: 'AWS_IAM' },
    sentence: 'AuthorizationType AWS_IAM of ',
  },
  {
    type: 'ApiGateway::Method',
    properties: { Integration: { Type: 'HTTP' } },
    sentence: 'use AWS_PROXY, or MOCK with a response',
  },
])('a template with $properties in an $type is an error that says "$sentence"', ({ type, properties, sentence }) => {
  expect(() => resolveChanged(type, properties)).toThrow(sentence)
})

describe('an intrinsic function', () => {
  // The functions stand in a property whose value is in the message of an error, so that the message shows the result.
  test.each([
    {
      intrinsicFunction: { 'Fn::Join': ['/', ['a', { Ref: 'AWS::Partition' }]] },
      sentence: 'ApiKeySourceType a/aws of the REST API',
    },
    {
      intrinsicFunction: { 'Fn::Select': [1, { 'Fn::Split': ['-', 'a-b-c'] }] },
      sentence: 'ApiKeySourceType b of the REST API',
    },
    {
      intrinsicFunction: { 'Fn::Sub': 'x-${AWS::Region}' },
      sentence: 'ApiKeySourceType x-us-east-1 of the REST API',
    },
  ])('the intrinsic function $intrinsicFunction is replaced by its result', ({ intrinsicFunction, sentence }) => {
    expect(() => resolveChanged('ApiGateway::RestApi', { ApiKeySourceType: intrinsicFunction })).toThrow(sentence)
  })

  test.each([
    {
      intrinsicFunction: { Ref: 'Missing' },
      sentence: 'Missing, to which stack pet-adoption-staging-api refers without having it',
    },
    {
      intrinsicFunction: { 'Fn::ImportValue': 'nothing' },
      sentence: 'the import of nothing, which no stack exports',
    },
    {
      intrinsicFunction: { 'Fn::Cidr': [] },
      sentence: 'does not support Fn::Cidr, which stack pet-adoption-staging-api uses',
    },
  ])(
    'the intrinsic function $intrinsicFunction is an error, because it has no result',
    ({ intrinsicFunction, sentence }) => {
      expect(() => resolveChanged('ApiGateway::RestApi', { ApiKeySourceType: intrinsicFunction })).toThrow(sentence)
    },
  )
})
