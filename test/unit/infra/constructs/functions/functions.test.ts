import { describe, expect, it } from 'vitest'
import { readFunctionFolders } from '../../../../../infra/constructs/functions/function-folders.ts'
import { options, type Resource, resourcesOf, synthesize } from '../../synthesized.ts'

const { api, data } = synthesize('production')
const functions = resourcesOf(api, 'AWS::Lambda::Function')
const policies = Object.values(resourcesOf(api, 'AWS::IAM::Policy'))
const nameOf = (lambda: Resource): string => String(lambda.Properties['Description']).replace('Pet Adoption API: ', '')
const names = Object.values(functions).map(nameOf)

const functionNamed = (name: string): Resource => {
  const found = Object.values(functions).find((lambda) => nameOf(lambda) === name)
  if (found === undefined) throw new Error(`There is no function ${name}.`)
  return found
}

/** What the data stack exports, by the names under which the API stack imports it. */
const outputs: Readonly<Record<string, { Value: unknown; Export?: { Name: string } }>> = data.toJSON()['Outputs']
const exported = new Map(
  Object.values(outputs).flatMap(({ Value, Export }) => (Export === undefined ? [] : [[Export.Name, Value] as const])),
)

/** `Pets`, `Pets.arn`, `Pets.arn/index/...` or the reference to a resource of the same stack. */
const target = (value: unknown): string => {
  const {
    'Fn::ImportValue': imported,
    'Fn::Join': joined,
    'Fn::GetAtt': attribute,
    Ref,
  } = JSON.parse(JSON.stringify(value))
  if (imported !== undefined) return target(exported.get(imported))
  if (value === '*') return value
  if (joined !== undefined)
    return joined[1].map((part: unknown) => (typeof part === 'string' ? part : target(part))).join(joined[0])
  if (attribute !== undefined) return `${target({ Ref: attribute[0] })}.${attribute[1].toLowerCase()}`
  if (Ref !== undefined) return Ref.replace(/[0-9A-F]{8}$/, '')
  throw new Error(`${JSON.stringify(value)} is no reference.`)
}

/** Every action that the role of a function allows, by what it may be done to. */
const permissionsOf = (name: string): Record<string, unknown> => {
  const role = JSON.stringify(functionNamed(name).Properties['Role'])
  const roleId = /"Fn::GetAtt":\["(\w+)"/.exec(role)?.[1]
  const statements = policies
    .filter(({ Properties }) => JSON.stringify(Properties['Roles']).includes(`"${roleId}"`))
    .flatMap(({ Properties }) => JSON.parse(JSON.stringify(Properties['PolicyDocument'])).Statement)
  return Object.fromEntries(
    statements.map(({ Effect, Action, Resource }) => {
      expect(Effect).toBe('Allow')
      return [target(Resource), [Action].flat()]
    }),
  )
}

const environmentOf = (name: string): Record<string, string> => {
  const variables: Record<string, unknown> =
    JSON.parse(JSON.stringify(functionNamed(name).Properties['Environment'] ?? {})).Variables ?? {}
  return Object.fromEntries(
    Object.entries(variables).map(([key, value]) => [key, typeof value === 'string' ? value : target(value)]),
  )
}

const get = 'dynamodb:GetItem'
const [put, update] = ['dynamodb:PutItem', 'dynamodb:UpdateItem']

describe('the functions', () => {
  it('are those of functions/', () => {
    expect([...names].sort()).toEqual(readFunctionFolders())
  })

  it.each([
    ['list-pets', { 'Pets.arn/index/status-index': ['dynamodb:Query'] }],
    ['create-pet', { 'Pets.arn': [get, put], 'Idempotency.arn': [put, update] }],
    ['get-pet', { 'Pets.arn': [get] }],
    ['list-store-orders', {}],
    ['unknown-route', {}],
    ['authorizer', { 'ApiKeys.arn': [get, update] }],
  ])('have only the permissions that they need: %s', (name, expected) => {
    const logs = { [`${name.replaceAll('-', '')}Logs.arn`]: ['logs:CreateLogStream', 'logs:PutLogEvents'] }
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
      Timeout: name === 'authorizer' ? 5 : 10,
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
