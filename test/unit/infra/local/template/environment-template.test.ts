// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub writes its variables like this.
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { namesIn, readEnvironmentTemplate } from '../../../../../infra/local/template/environment-template.ts'
import { createResolve } from '../../../../../infra/local/template/intrinsic-functions.ts'
import { readAssembly } from '../../../../../infra/synthesis/assembly.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { sharedAssembly } from '../../../../fixtures/assembly.ts'
import { temporaryFolder } from '../fixtures.ts'

const folder = temporaryFolder()
const template = readEnvironmentTemplate(sharedAssembly, 'staging')
const { restApi } = template

interface Resource {
  readonly Type: string
  Properties: Readonly<Record<string, unknown>>
}

/** The assembly with other properties in the first resource of a type that has these. */
const changed = (type: string, has: object, change: object): string => {
  const copy = mkdtempSync(join(folder, 'assembly-'))
  const stage = join(copy, 'assembly-staging')
  cpSync(join(sharedAssembly, 'assembly-staging'), stage, { recursive: true })
  const [file = ''] = readdirSync(stage).filter((name) => /api.*\.template\.json$/.test(name))
  const content: { Resources: Record<string, Resource> } = JSON.parse(readFileSync(join(stage, file), 'utf8'))
  const found = Object.values(content.Resources).find(
    ({ Type, Properties }) =>
      Type === `AWS::${type}` && Object.entries(has).every(([name, value]) => Properties[name] === value),
  )
  if (found === undefined) throw new Error(`The template has no such ${type}.`)
  found.Properties = { ...found.Properties, ...change }
  writeFileSync(join(stage, file), JSON.stringify(content))
  return copy
}

describe('The template of an environment', () => {
  test('gives gateway responses, usage plans and the key of the template', () => {
    expect(restApi.gatewayResponses.get('UNAUTHORIZED')).toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer' },
      body: expect.stringContaining('"code":"unauthorized"'),
    })
    const { free, enterprise } = namesIn(template).usagePlanIds
    expect(restApi.usagePlans.get(free)).toMatchObject({
      Throttle: { RateLimit: fixedPlans.free.perMinute / 60, BurstLimit: 125 },
      Quota: { Limit: fixedPlans.free.perDay },
    })
    expect(restApi.usagePlans.get(enterprise)).toEqual({ id: enterprise })
    const [[value, key] = []] = restApi.apiKeys
    expect([value, key?.name]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), 'pet-adoption-staging-api-reserved'])
    expect(restApi.usagePlans.has(key?.usagePlanId ?? '')).toBe(true)
  })

  test('gives the table of replays its time to live, for an engine that deletes expired items', () => {
    const { idempotency } = namesIn(template).tables
    expect(template.tables.find(({ name }) => name === idempotency)).toMatchObject({ timeToLive: 'expiresAt' })
  })

  test('has the same names and identifiers at each start', () => {
    expect(readEnvironmentTemplate(sharedAssembly, 'staging')).toEqual(template)
  })

  const [authorizer, integration] = ['ApiGateway::Authorizer', { Integration: { Type: 'HTTP' } }]
  const [unauthorized, get] = [{ ResponseType: 'UNAUTHORIZED' }, { HttpMethod: 'GET' }]
  test.each<[string, Parameters<typeof changed>, string]>([
    [
      'an API key in a header',
      ['ApiGateway::RestApi', {}, { ApiKeySourceType: 'HEADER' }],
      'set ApiKeySourceType to AUTHORIZER',
    ],
    ['an authorizer with a cache', [authorizer, {}, { AuthorizerResultTtlInSeconds: 300 }], 'TTL 0'],
    ['a TOKEN authorizer', [authorizer, {}, { Type: 'TOKEN' }], 'only REQUEST authorizers'],
    ['a monthly quota', ['ApiGateway::UsagePlan', {}, { Quota: { Limit: 1, Period: 'MONTH' } }], 'quota period DAY'],
    [
      'a variable in the body of a gateway response',
      ['ApiGateway::GatewayResponse', unauthorized, { ResponseTemplates: { 'application/json': '$context.stage' } }],
      'no variables in the body of the gateway response UNAUTHORIZED',
    ],
    [
      'a variable in a header of a gateway response',
      [
        'ApiGateway::GatewayResponse',
        unauthorized,
        { ResponseParameters: { 'gatewayresponse.header.A': 'context.a' } },
      ],
      'only literals in single quotes as headers of the gateway response UNAUTHORIZED',
    ],
    [
      'IAM authorization',
      ['ApiGateway::Method', get, { AuthorizerId: undefined, AuthorizationType: 'AWS_IAM' }],
      'only with a Lambda authorizer',
    ],
    ['an HTTP integration', ['ApiGateway::Method', get, integration], 'neither AWS_PROXY nor MOCK'],
    [
      'a function without a bundle',
      ['Lambda::Function', { Handler: 'index.handler' }, { Code: { S3Key: 'other.zip' } }],
      'no bundle for the function pet-adoption-staging-api-',
    ],
  ])('with %s is an error in a sentence', (_name, change, sentence) => {
    expect(() => readEnvironmentTemplate(changed(...change), 'staging')).toThrow(sentence)
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
