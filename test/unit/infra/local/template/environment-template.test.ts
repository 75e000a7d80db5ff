// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub writes its variables like this.
import { describe, expect, test } from 'vitest'
import {
  environmentTemplate,
  readEnvironmentTemplate,
} from '../../../../../infra/local/template/environment-template.ts'
import { readStacks, resolveStacks } from '../../../../../infra/local/template/stacks.ts'
import { sharedAssembly } from '../../../../fixtures/assembly.ts'

const read = () => readStacks(sharedAssembly, 'staging')
const template = readEnvironmentTemplate(sharedAssembly, 'staging')

/** Reads the templates with other properties in the first resource of a type. */
const readChanged = (type: string, change: object): void => {
  const stacks = read()
  const resources = stacks.flatMap(({ template }) => Object.values(template.Resources))
  Object.assign(resources.find(({ Type }) => Type === `AWS::${type}`)?.Properties ?? {}, change)
  environmentTemplate(stacks)
}

describe('The template of an environment', () => {
  test('has the same names and identifiers at each start', () => {
    expect(readEnvironmentTemplate(sharedAssembly, 'staging')).toEqual(template)
  })

  const templates = { ResponseTemplates: { 'application/json': '$context.stage' } }
  const parameters = { ResponseParameters: { 'gatewayresponse.header.A': 'context.a' } }
  test.each<[string, object, RegExp]>([
    [
      'ApiGateway::RestApi',
      { ApiKeySourceType: 'HEADER' },
      /ApiKeySourceType HEADER of the REST API: use "AUTHORIZER"/,
    ],
    ['ApiGateway::Authorizer', { AuthorizerResultTtlInSeconds: 300 }, /InSeconds 300 of the authorizer: use 0/],
    ['ApiGateway::Authorizer', { Type: 'TOKEN' }, /Type TOKEN of the authorizer: use "REQUEST"/],
    ['ApiGateway::GatewayResponse', templates, /variables in the body of the gateway response/],
    ['ApiGateway::GatewayResponse', parameters, /headers of the gateway response \w+ but literals/],
    ['ApiGateway::Method', { AuthorizationType: 'AWS_IAM' }, /AuthorizationType AWS_IAM of \w+ \//],
    ['ApiGateway::Method', { Integration: { Type: 'HTTP' } }, /use AWS_PROXY, or MOCK/],
  ])('with another %s is an error in a sentence: %j', (type, change, sentence) => {
    expect(() => readChanged(type, change)).toThrow(sentence)
  })
})

describe('An intrinsic function', () => {
  const stacks = read()
  const [stack] = stacks.filter(({ name }) => name === 'pet-adoption-staging-api')
  const resolve = (value: unknown): unknown => stack && resolveStacks(stacks).resolve(stack, value)

  test('has its result', () => {
    const joined = { 'Fn::Join': ['/', ['a', { Ref: 'AWS::Partition' }]] }
    const selected = { 'Fn::Select': [1, { 'Fn::Split': ['-', 'a-b-c'] }] }
    expect(resolve([joined, { 'Fn::Sub': 'x-${AWS::Region}' }, selected])).toEqual(['a/aws', 'x-us-east-1', 'b'])
  })

  test.each([
    ['with a missing resource', { Ref: 'Missing' }, 'Missing, to which stack pet-adoption-staging-api refers'],
    ['with a missing export', { 'Fn::ImportValue': 'nothing' }, 'the import of nothing, which no stack exports'],
    ['that is not supported', { 'Fn::Cidr': [] }, 'does not support Fn::Cidr'],
  ])('%s is an error in a sentence', (_name, value, sentence) => expect(() => resolve(value)).toThrow(sentence))
})
