import { describe, expect, it } from 'vitest'
import { functionNames } from '../../../../../infra/bundling/function-bundle.ts'
import { everyOption, plain, resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('production')
const resolved = resolvedResources('production')
const shortened = (name: string): string => name.replace(/^pet-adoption-production-\w+-(\w+?)[0-9A-F]{8}/, '$1')

/** The properties of each function by its name. */
const functions = new Map(
  resolved<{ Description?: string; Environment?: { Variables: Record<string, string> } }>('Lambda::Function').flatMap(
    ({ properties }) => {
      const [, name] = /^Pet Adoption API: (.*)/.exec(properties.Description ?? '') ?? []
      return name === undefined ? [] : [[name, properties] as const]
    },
  ),
)

interface Statement {
  readonly Effect: string
  readonly Action: string | readonly string[]
  readonly Resource: string
}

/** Every action that the role of a function allows, by what it may be done to. */
const permissionsOf = (name: string): Record<string, unknown> => {
  const statements = resolved<{ Roles: readonly string[]; PolicyDocument: { Statement: readonly Statement[] } }>(
    'IAM::Policy',
  )
    .filter(({ properties: { Roles } }) => Roles.some((role) => shortened(role) === `${name.replaceAll('-', '')}Role`))
    .flatMap(({ properties: { PolicyDocument } }) => PolicyDocument.Statement)
  expect(statements.map(({ Effect }) => Effect)).toEqual(statements.map(() => 'Allow'))
  return Object.fromEntries(statements.map(({ Action, Resource }) => [shortened(Resource), [Action].flat()]))
}

const get = 'dynamodb:GetItem'
const [put, update] = ['dynamodb:PutItem', 'dynamodb:UpdateItem']

describe('the functions', () => {
  it('are those of functions/', () => {
    expect([...functions.keys()].toSorted()).toEqual(functionNames())
  })

  it.each<[string, Record<string, readonly string[]>, Record<string, unknown>]>([
    ['list-pets', { 'Pets.Arn/index/status-index': ['dynamodb:Query'] }, { PETS_TABLE: 'Pets' }],
    [
      'create-pet',
      { 'Pets.Arn': [get, put], 'Idempotency.Arn': [put, update] },
      { PETS_TABLE: 'Pets', IDEMPOTENCY_TABLE: 'Idempotency' },
    ],
    ['get-pet', { 'Pets.Arn': [get] }, { PETS_TABLE: 'Pets' }],
    ['list-store-orders', {}, {}],
    ['unknown-route', {}, {}],
    [
      'authorizer',
      { 'ApiKeys.Arn': [get, update] },
      {
        API_KEYS_TABLE: 'ApiKeys',
        API_KEY_PREFIX: 'pet_live_',
        REFUSALS_BEFORE_BAN: '100',
        FIRST_BAN_SECONDS: '60',
        LONGEST_BAN_SECONDS: '3600',
        RESERVED_GATEWAY_KEY: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ],
  ])('have only the permissions and variables that they need: %s', (name, allowed, variables) => {
    const logs = { [`${name.replaceAll('-', '')}Logs.Arn`]: ['logs:CreateLogStream', 'logs:PutLogEvents'] }
    expect(permissionsOf(name)).toEqual({ ...logs, ...allowed })
    const given = Object.entries(functions.get(name)?.Environment?.Variables ?? {})
    expect(Object.fromEntries(given.map(([variable, value]) => [variable, shortened(value)]))).toEqual(variables)
  })

  it('have roles without managed policies, which would allow more', () => {
    for (const [id, role] of Object.entries(resourcesOf(api, 'AWS::IAM::Role'))) {
      // API Gateway refuses less for its own role, and CDK gives CodeDeploy AWS's.
      if (/^(ApiRestApiCloudWatchRole|Releases)/.test(id)) continue
      expect(role.Properties, id).not.toHaveProperty('ManagedPolicyArns')
      expect(role.Properties, id).not.toHaveProperty('Policies')
    }
  })

  it('run on Node.js 24, with JSON logs of what goes wrong, in groups of their own that expire', () => {
    const lambdas = Object.values(resourcesOf(api, 'AWS::Lambda::Function'))
    const groups = lambdas.map(({ Properties }) => plain(Properties['LoggingConfig']).LogGroup.Ref)
    expect(new Set(groups).size).toBe(functionNames().length)
    for (const { Properties } of lambdas) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        MemorySize: 1_024,
        LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'WARN', SystemLogLevel: 'WARN' },
      })
    }
  })

  it('share the concurrency of the account, unless the operator reserves some for each', () => {
    const concurrency = (template: typeof api) =>
      Object.values(resourcesOf(template, 'AWS::Lambda::Function')).map(
        ({ Properties }) => Properties['ReservedConcurrentExecutions'],
      )
    expect(new Set(concurrency(api))).toEqual(new Set([undefined]))
    expect(new Set(concurrency(synthesize('production', everyOption).api))).toEqual(new Set([50]))
  })
})
