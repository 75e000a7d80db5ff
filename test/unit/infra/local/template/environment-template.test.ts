// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub writes its variables like this.
import { describe, expect, test } from 'vitest'
import { readEnvironmentTemplate, readStacks } from '../../../../../infra/local/template/environment-template.ts'
import { createResolve } from '../../../../../infra/local/template/intrinsic-functions.ts'
import { readAssembly } from '../../../../../infra/synthesis/assembly.ts'
import { sharedAssembly } from '../../../../fixtures/assembly.ts'

const template = readEnvironmentTemplate(sharedAssembly, 'staging')

/** Reads the templates with other properties in the first resource of a type that has these. */
const readChanged = (type: string, has: object, change: object): void => {
  const stacks = readAssembly(sharedAssembly, 'staging')
  const found = stacks
    .flatMap(({ resources }) => [...resources.values()])
    .find(
      (one) =>
        one.type === `AWS::${type}` && Object.entries(has).every(([key, value]) => one.properties[key] === value),
    )
  if (found === undefined) throw new Error(`The template has no such ${type}.`)
  Object.assign(found.properties, change)
  readStacks(stacks)
}

describe('The template of an environment', () => {
  test('has the same names and identifiers at each start', () => {
    expect(readEnvironmentTemplate(sharedAssembly, 'staging')).toEqual(template)
  })

  const [authorizer, integration] = ['ApiGateway::Authorizer', { Integration: { Type: 'HTTP' } }]
  const [unauthorized, get] = [{ ResponseType: 'UNAUTHORIZED' }, { HttpMethod: 'GET' }]
  test.each<[string, Parameters<typeof readChanged>, string]>([
    [
      'an API key in a header',
      ['ApiGateway::RestApi', {}, { ApiKeySourceType: 'HEADER' }],
      'the API key source HEADER',
    ],
    ['an authorizer with a cache', [authorizer, {}, { AuthorizerResultTtlInSeconds: 300 }], 'TTL 0'],
    ['a TOKEN authorizer', [authorizer, {}, { Type: 'TOKEN' }], 'type REQUEST'],
    [
      'a variable in the body of a gateway response',
      ['ApiGateway::GatewayResponse', unauthorized, { ResponseTemplates: { 'application/json': '$context.stage' } }],
      'variables in the body of the gateway response UNAUTHORIZED',
    ],
    [
      'a variable in a header of a gateway response',
      [
        'ApiGateway::GatewayResponse',
        unauthorized,
        { ResponseParameters: { 'gatewayresponse.header.A': 'context.a' } },
      ],
      'headers of the gateway response UNAUTHORIZED but literals',
    ],
    [
      'IAM authorization',
      ['ApiGateway::Method', get, { AuthorizerId: undefined, AuthorizationType: 'AWS_IAM' }],
      'the authorization AWS_IAM of GET',
    ],
    ['an HTTP integration', ['ApiGateway::Method', get, integration], 'use AWS_PROXY, or MOCK'],
    [
      'a function without a bundle',
      ['Lambda::Function', { Handler: 'index.handler' }, { Code: { S3Key: 'other.zip' } }],
      'which has no bundle',
    ],
  ])('with %s is an error in a sentence', (_name, change, sentence) => {
    expect(() => readChanged(...change)).toThrow(sentence)
  })
})

describe('An intrinsic function', () => {
  const stacks = readAssembly(sharedAssembly, 'staging')
  const [stack] = stacks.filter(({ name }) => name === 'pet-adoption-staging-api')
  const resolve = (value: unknown): unknown => stack && createResolve(stacks)(stack, value)

  test.each([
    ['Fn::Join', { 'Fn::Join': ['/', ['a', { Ref: 'AWS::Partition' }]] }, 'a/aws'],
    ['Fn::Sub', { 'Fn::Sub': 'x-${AWS::Region}' }, 'x-us-east-1'],
    ['Fn::Select of Fn::Split', { 'Fn::Select': [1, { 'Fn::Split': ['-', 'a-b-c'] }] }, 'b'],
  ])('%s has its result', (_name, value, expected) => expect(resolve(value)).toBe(expected))

  test.each([
    ['with a missing resource', { Ref: 'Missing' }, 'Stack pet-adoption-staging-api refers to Missing'],
    ['with a missing export', { 'Fn::ImportValue': 'nothing' }, 'No stack exports nothing'],
    ['that is not supported', { 'Fn::Cidr': [] }, 'does not support Fn::Cidr'],
    ['with variables of its own', { 'Fn::Sub': ['${Own}', { Own: 'a' }] }, 'refers to Own'],
  ])('%s is an error in a sentence', (_name, value, sentence) => expect(() => resolve(value)).toThrow(sentence))
})
