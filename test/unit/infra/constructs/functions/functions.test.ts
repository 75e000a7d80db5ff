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
} from '../../../../fixtures/templates.ts'

const { api } = synthesizeTemplates('production')

// test/promises/permissions compares those on tables with the calls that the functions make, and the rules of AWS allow no
// managed policy and no asterisk beyond their exceptions: findings.test.ts.
it('a function creates, tags and deletes only API keys with the tag of its environment', () => {
  const policies = resolveStagingResources()<{ PolicyDocument: { Statement: { Action: unknown }[] } }>('IAM::Policy')
  const changing = policies
    .flatMap(({ properties }) => properties.PolicyDocument.Statement)
    .filter(({ Action }) => /apigateway:(?!GET)/.test(String(Action)))
  const ofTag = (kind: string) => ({ StringEquals: { [`aws:${kind}/environment`]: 'staging' } })
  const all = 'arn:aws:apigateway:us-east-1::'
  expect(changing).toMatchObject([
    // Those of the usage plans, which are of one environment.
    { Action: 'apigateway:POST', Resource: planNames.map(() => expect.stringMatching(/\/usageplans\/[^/*]+\/keys$/)) },
    { Action: 'apigateway:POST', Resource: `${all}/apikeys`, Condition: ofTag('RequestTag') },
    { Action: ['apigateway:POST', 'apigateway:PUT'], Resource: `${all}/tags/*`, Condition: ofTag('RequestTag') },
    { Action: 'apigateway:DELETE', Resource: `${all}/apikeys/*`, Condition: ofTag('ResourceTag') },
  ])
})

it('the functions log what goes wrong alone, and one runs every 15 minutes', () => {
  const LoggingConfig = { ApplicationLogLevel: 'WARN', SystemLogLevel: 'WARN' }
  api.allResourcesProperties('AWS::Lambda::Function', { LoggingConfig })
  api.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(15 minutes)', State: 'ENABLED' })
})

// That they are traced where the operator says so, the rules of AWS tell.
it('they have concurrency of their own, and a price for traces, only where the operator says so', () => {
  const { api: withAll } = synthesizeTemplates('production', everyOption)
  withAll.allResourcesProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: 50 })
  expect(JSON.stringify(api.toJSON())).not.toMatch(/"Active"|TracingEnabled":true|ReservedConcurrentExecutions/)
})

describe('a release', () => {
  it('goes to the alias of each function, which requests use, and keeps earlier versions, but none whose creation is rolled back', () => {
    expect(findProperties(api, 'AWS::Lambda::Alias')).toHaveLength(listFunctionNames().length)
    const invoked = findProperties(api, 'AWS::Lambda::Permission').map(({ FunctionName }) =>
      JSON.stringify(FunctionName),
    )
    expect(invoked.filter((name) => !name.includes('Live'))).toEqual([])
    const versions = Object.values(findResources(api, 'AWS::Lambda::Version'))
    const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' }
    expect(versions).toMatchObject(listFunctionNames().map(() => kept))
  })

  it('of production takes a tenth of the traffic of every function that serves requests, and what callers notice rolls it back', () => {
    const groups = findResources(api, 'AWS::CodeDeploy::DeploymentGroup')
    const used = Object.entries(findResources(api, 'AWS::Lambda::Alias')).flatMap(([id, alias]) =>
      // Nobody waits for the scheduled function, so no alarm tells anything about a release of it.
      id.startsWith('gatewaykeys') ? [] : [alias['UpdatePolicy'].CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref],
    )
    expect(used).toHaveLength(listFunctionNames().length - 1)
    expect(used.toSorted()).toEqual(Object.keys(groups).toSorted())
    const alarms = findResources(api, 'AWS::CloudWatch::Alarm')
    for (const { Properties } of Object.values(groups)) {
      expect(Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']) },
      })
      const names = Properties.AlarmConfiguration.Alarms.map(({ Name }: { Name: { Ref: string } }) =>
        alarms[Name.Ref]?.Properties.AlarmName.replace('pet-adoption-production-', ''),
      )
      expect(names.toSorted()).toEqual(['authorizer-failures', 'errors-at-low-traffic', 'latency', 'server-errors'])
    }
  })

  it.each([
    ['staging', {}],
    ['production', presets.small],
    ['production', { release: 'all-at-once' }],
  ] as const)('of %s with %o has all traffic at once', (environment, change) => {
    const template = synthesizeTemplates(environment, change).api
    template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0)
    expect(JSON.stringify(findResources(template, 'AWS::Lambda::Alias'))).not.toContain('UpdatePolicy')
  })
})
