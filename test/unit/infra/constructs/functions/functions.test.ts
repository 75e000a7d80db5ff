import { describe, expect, it } from 'vitest'
import { readFunctionFolders } from '../../../../../infra/constructs/functions/function-folders.ts'
import { options, type Resource, resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('production')
const functions = resourcesOf(api, 'AWS::Lambda::Function')
const nameOf = (lambda: Resource): string => String(lambda.Properties['Description']).replace('Pet Adoption API: ', '')
const names = Object.values(functions).map(nameOf)

const functionNamed = (name: string): Resource => {
  const found = Object.values(functions).find((lambda) => nameOf(lambda) === name)
  if (found === undefined) throw new Error(`There is no function ${name}.`)
  return found
}

const resolved = resolvedResources('production')
const shortened = (name: string): string => name.replace(/^pet-adoption-production-\w+-(\w+?)[0-9A-F]{8}/, '$1')

interface Statement {
  readonly Effect: string
  readonly Action: string | readonly string[]
  readonly Resource: string
}

/** Every action that the role of a function allows, by what it may be done to. */
const permissionsOf = (name: string): Record<string, unknown> => {
  const policies = resolved<{ Roles: readonly string[]; PolicyDocument: { Statement: readonly Statement[] } }>(
    'IAM::Policy',
  )
  const statements = policies
    .filter(({ properties: { Roles } }) => Roles.some((role) => shortened(role) === `${name.replaceAll('-', '')}Role`))
    .flatMap(({ properties: { PolicyDocument } }) => PolicyDocument.Statement)
  expect(statements.map(({ Effect }) => Effect)).toEqual(statements.map(() => 'Allow'))
  return Object.fromEntries(statements.map(({ Action, Resource }) => [shortened(Resource), [Action].flat()]))
}

const environmentOf = (name: string): Record<string, string> => {
  const functions = resolved<{ Description: string; Environment?: { Variables: Record<string, string> } }>(
    'Lambda::Function',
  )
  const lambda = functions.find(({ properties }) => properties.Description === `Pet Adoption API: ${name}`)
  const variables = Object.entries(lambda?.properties.Environment?.Variables ?? {})
  return Object.fromEntries(variables.map(([variable, value]) => [variable, shortened(value)]))
}

const timeouts: Readonly<Record<string, number>> = { authorizer: 5, 'gateway-keys': 600 }

const get = 'dynamodb:GetItem'
const [put, update] = ['dynamodb:PutItem', 'dynamodb:UpdateItem']

describe('the functions', () => {
  it('are those of functions/', () => {
    expect([...names].sort()).toEqual(readFunctionFolders())
  })

  it.each([
    ['list-pets', { 'Pets.Arn/index/status-index': ['dynamodb:Query'] }],
    ['create-pet', { 'Pets.Arn': [get, put], 'Idempotency.Arn': [put, update] }],
    ['get-pet', { 'Pets.Arn': [get] }],
    ['list-store-orders', {}],
    ['unknown-route', {}],
    ['authorizer', { 'ApiKeys.Arn': [get, update] }],
  ])('have only the permissions that they need: %s', (name, expected) => {
    const logs = { [`${name.replaceAll('-', '')}Logs.Arn`]: ['logs:CreateLogStream', 'logs:PutLogEvents'] }
    expect(permissionsOf(name)).toEqual({ ...logs, ...expected })
  })

  it('have roles without managed policies, which would allow more', () => {
    for (const [id, role] of Object.entries(resourcesOf(api, 'AWS::IAM::Role'))) {
      // API Gateway's own role, which it refuses with less.
      if (id.startsWith('ApiRestApiCloudWatchRole')) continue
      expect(role.Properties).not.toHaveProperty('ManagedPolicyArns')
      expect(role.Properties).not.toHaveProperty('Policies')
    }
  })

  it.each([
    ['list-pets', { PETS_TABLE: 'Pets' }],
    ['create-pet', { PETS_TABLE: 'Pets', IDEMPOTENCY_TABLE: 'Idempotency' }],
    ['get-pet', { PETS_TABLE: 'Pets' }],
    ['list-store-orders', {}],
    ['unknown-route', {}],
    [
      'authorizer',
      {
        API_KEYS_TABLE: 'ApiKeys',
        API_KEY_PREFIX: 'pet_live_',
        REFUSALS_BEFORE_BAN: '100',
        FIRST_BAN_SECONDS: '60',
        LONGEST_BAN_SECONDS: '3600',
        RESERVED_GATEWAY_KEY: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ],
  ])('have only the environment variables that they need: %s', (name, expected) => {
    expect(environmentOf(name)).toEqual(expected)
  })

  it.each(names)('run on Node.js 24, with JSON logs of what goes wrong, that expire: %s', (name) => {
    const { Properties } = functionNamed(name)
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: 1_024,
      Timeout: timeouts[name] ?? 10,
      LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'WARN', SystemLogLevel: 'WARN' },
    })
    const { LogGroup } = JSON.parse(JSON.stringify(Properties['LoggingConfig']))
    expect(resourcesOf(api, 'AWS::Logs::LogGroup')[LogGroup.Ref]?.Properties).toEqual({ RetentionInDays: 30 })
  })

  it('share the concurrency of the account, unless the operator reserves some for each', () => {
    for (const { Properties } of Object.values(functions)) {
      expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions')
    }
    const reserved = synthesize('production', options.production).api
    for (const { Properties } of Object.values(resourcesOf(reserved, 'AWS::Lambda::Function'))) {
      expect(Properties).toMatchObject({ ReservedConcurrentExecutions: 50 })
    }
  })
})
