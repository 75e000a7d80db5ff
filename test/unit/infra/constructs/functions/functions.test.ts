import { describe, expect, it } from 'vitest'
import { listFunctionNames } from '../../../../../infra/bundling/function-bundle.ts'
import { presets } from '../../../../../infra/environments.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import {
  everyOption,
  findProperties,
  findResources,
  resolveStagingResources,
  synthesizeTemplates,
} from '../../../../fixtures/environment/templates.ts'

const { api } = synthesizeTemplates('production')
const apiWithEveryOption = synthesizeTemplates('production', everyOption).api

// test/promises/permissions compares the permissions on tables with the calls that the functions make. findings.test.ts
// shows that no function has a managed policy or an asterisk beyond its exceptions.
it('gateway-keys reads the keys of its usage plans, and changes only API keys with the tag of its environment', () => {
  const findStagingResources = resolveStagingResources()
  const policies = findStagingResources<{ PolicyDocument: { Statement: { Action: unknown }[] } }>('IAM::Policy')

  const statements = policies.flatMap(({ properties }) => properties.PolicyDocument.Statement)
  const gatewayStatements = statements.filter(({ Action }) => String(Action).includes('apigateway:'))

  const allKeys = 'arn:aws:apigateway:us-east-1::/apikeys'
  // The usage plans belong to one environment, so statements about them need no tag.
  const keysOfUsagePlans = planNames.map(() => expect.stringMatching(/\/usageplans\/[^/*]+\/keys$/))
  const requestHasTag = { StringEquals: { 'aws:RequestTag/environment': 'staging' } }
  const resourceHasTag = { StringEquals: { 'aws:ResourceTag/environment': 'staging' } }
  expect(gatewayStatements).toEqual([
    {
      Effect: 'Allow',
      Action: 'apigateway:GET',
      Resource: [allKeys, ...keysOfUsagePlans],
    },
    {
      Effect: 'Allow',
      Action: 'apigateway:POST',
      Resource: keysOfUsagePlans,
    },
    {
      Effect: 'Allow',
      Action: 'apigateway:POST',
      Resource: allKeys,
      Condition: requestHasTag,
    },
    {
      Effect: 'Allow',
      Action: ['apigateway:POST', 'apigateway:PUT'],
      Resource: 'arn:aws:apigateway:us-east-1::/tags/*',
      Condition: requestHasTag,
    },
    {
      Effect: 'Allow',
      Action: 'apigateway:DELETE',
      Resource: `${allKeys}/*`,
      Condition: resourceHasTag,
    },
  ])
})

/** Lists the services of AWS that a function may call. */
const listAllowedServices = (functionName: string): readonly string[] => {
  const policies = Object.entries(findResources(api, 'AWS::IAM::Policy'))
  const ownPolicies = policies.filter(([id]) => id.startsWith(`${functionName.replaceAll('-', '')}Role`))
  const statements: { Action: string | string[] }[] = ownPolicies.flatMap(
    ([, { Properties }]) => Properties.PolicyDocument.Statement,
  )
  const services = statements.flatMap(({ Action }) => [Action].flat()).map((action) => action.replace(/:.*/, ''))
  return [...new Set(services)].toSorted()
}

it.each(listFunctionNames())('the function %s may call no service beyond those of its work', (name) => {
  const services = name === 'gateway-keys' ? ['apigateway', 'dynamodb', 'logs'] : ['dynamodb', 'logs']

  expect(services).toEqual(expect.arrayContaining([...listAllowedServices(name)]))
  expect(listAllowedServices(name)).toContain('logs')
})

it('reservedConcurrency gives each function that serves requests instances of its own, and gateway-keys one', () => {
  const functions = findProperties(apiWithEveryOption, 'AWS::Lambda::Function')

  for (const { Description, ReservedConcurrentExecutions } of functions) {
    const expected = Description.endsWith('gateway-keys') ? 1 : everyOption.reservedConcurrency
    expect(ReservedConcurrentExecutions, Description).toBe(expected)
  }
})

// A new account may have ten instances. It could reserve none, so its first deployment would fail.
it('the functions have no reserved concurrency by default', () => {
  expect(JSON.stringify(api.toJSON())).not.toContain('ReservedConcurrentExecutions')
})

// findings.test.ts shows that `tracing: true` turns traces on.
it('the functions and the stage write no traces by default, because traces have a price', () => {
  expect(JSON.stringify(api.toJSON())).not.toMatch(/"Active"|TracingEnabled":true/)
})

describe('aliases and versions', () => {
  it('each function has an alias', () => {
    expect(findProperties(api, 'AWS::Lambda::Alias')).toHaveLength(listFunctionNames().length)
  })

  it('only aliases are invoked, never a function without one', () => {
    const permissions = findProperties(api, 'AWS::Lambda::Permission')
    const invokedNames = permissions.map(({ FunctionName }) => JSON.stringify(FunctionName))

    expect(invokedNames.filter((name) => !name.includes('Live'))).toEqual([])
  })

  it('earlier versions of each function stay, but no version whose creation is rolled back', () => {
    const versions = Object.values(findResources(api, 'AWS::Lambda::Version'))

    expect(versions).toHaveLength(listFunctionNames().length)
    for (const version of versions) {
      expect(version).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
    }
  })
})

describe('a release of production', () => {
  const deploymentGroups = findResources(api, 'AWS::CodeDeploy::DeploymentGroup')

  it('a release of production is a canary for every function but gateway-keys', () => {
    // Nobody waits for the scheduled function, so no alarm shows anything about a release of it.
    const aliases = Object.entries(findResources(api, 'AWS::Lambda::Alias'))
    const requestAliases = aliases.filter(([id]) => !id.startsWith('gatewaykeys'))

    const usedGroups = requestAliases.map(
      ([, alias]) => alias['UpdatePolicy'].CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref,
    )

    expect(usedGroups).toHaveLength(listFunctionNames().length - 1)
    expect(usedGroups.toSorted()).toEqual(Object.keys(deploymentGroups).toSorted())
  })

  it.each(Object.entries(deploymentGroups))(
    'the deployment group %s rolls a release back that fails, is stopped, or raises one of the four alarms of the service',
    (_id, { Properties: { AutoRollbackConfiguration, AlarmConfiguration } }) => {
      const alarms = findResources(api, 'AWS::CloudWatch::Alarm')
      const alarmIds: readonly string[] = AlarmConfiguration.Alarms.map(
        ({ Name }: { readonly Name: { readonly Ref: string } }) => Name.Ref,
      )

      expect(AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      })
      expect(alarmIds.map((id) => alarms[id]?.Properties.AlarmName).toSorted()).toEqual([
        'pet-adoption-production-authorizer-failures',
        'pet-adoption-production-errors-at-low-traffic',
        'pet-adoption-production-latency',
        'pet-adoption-production-server-errors',
      ])
    },
  )
})

it.each([
  { name: 'staging', template: synthesizeTemplates('staging').api },
  { name: 'production with the preset small', template: synthesizeTemplates('production', presets.small).api },
])('a release of $name moves each alias at once', ({ template }) => {
  template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0)
  expect(JSON.stringify(findResources(template, 'AWS::Lambda::Alias'))).not.toContain('UpdatePolicy')
})
