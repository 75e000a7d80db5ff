import { describe, expect, it } from 'vitest'
import { functionNames } from '../../../../../infra/bundling/function-bundle.ts'
import { environmentNames, presets } from '../../../../../infra/environments.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { everyOption, propertiesOf, resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

const templates = { staging: synthesize('staging').api, production: synthesize('production').api }

interface Statement {
  readonly Action: string | readonly string[]
  readonly Resource: string | readonly string[]
  readonly Condition?: unknown
}

describe('the permissions of the functions', () => {
  // test/promises/permissions compares those on tables with the calls that the functions make.
  it('are their own: no role has a managed policy, which would allow more', () => {
    for (const [id, { Properties }] of Object.entries(resourcesOf(templates.production, 'AWS::IAM::Role'))) {
      // API Gateway refuses less for its own role, and CDK gives CodeDeploy AWS's.
      if (/^(ApiRestApiCloudWatchRole|release)/.test(id)) continue
      expect(Object.keys(Properties).join(), id).not.toMatch(/Policies|ManagedPolicyArns/)
    }
  })

  it('on API keys are to read them, and to create and delete those with the tag of the environment', () => {
    const policies = resolvedResources('staging')<{ PolicyDocument: { Statement: readonly Statement[] } }>(
      'IAM::Policy',
    )
    const allowed = policies
      .flatMap(({ properties }) => properties.PolicyDocument.Statement)
      .flatMap(({ Action, Resource, Condition }) =>
        [Resource].flat().flatMap((arn) => {
          const path = arn.replace(/^.*::/, '').replace(/plans\/.*(?=\/keys)/, 'plans/{id}')
          return [Action].flat().map((action) => [action, path, Condition] as const)
        }),
      )
      .filter(([action]) => action.startsWith('apigateway:'))
    const ours = (kind: string) => ({ StringEquals: { [`aws:${kind}/environment`]: 'staging' } })
    const ofPlans = (verb: string) => planNames.map(() => [verb, '/usageplans/{id}/keys', undefined])
    expect(allowed.map(([action, ...rest]) => [action.replace('apigateway:', ''), ...rest])).toEqual([
      ['GET', '/apikeys', undefined],
      ...ofPlans('GET'),
      ...ofPlans('POST'),
      ['POST', '/apikeys', ours('RequestTag')],
      ['POST', '/tags/*', ours('RequestTag')],
      ['PUT', '/tags/*', ours('RequestTag')],
      ['DELETE', '/apikeys/*', ours('ResourceTag')],
    ])
  })
})

describe('the functions', () => {
  it('log what goes wrong alone, each in a group of its own that expires', () => {
    const lambdas = propertiesOf(templates.production, 'AWS::Lambda::Function')
    expect(new Set(lambdas.map(({ LoggingConfig }) => LoggingConfig.LogGroup.Ref)).size).toBe(functionNames().length)
    templates.production.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 })
    const LoggingConfig = { ApplicationLogLevel: 'WARN', SystemLogLevel: 'WARN' }
    templates.production.allResourcesProperties('AWS::Lambda::Function', { LoggingConfig })
  })

  it('are traced, as the API is, and have concurrency of their own, where the operator says so', () => {
    const { api } = synthesize('production', everyOption)
    api.allResourcesProperties('AWS::ApiGateway::Stage', { TracingEnabled: true })
    const own = { TracingConfig: { Mode: 'Active' }, ReservedConcurrentExecutions: 50 }
    api.allResourcesProperties('AWS::Lambda::Function', own)
    templates.production.allResourcesProperties('AWS::ApiGateway::Stage', { TracingEnabled: false })
    const lambdas = JSON.stringify(propertiesOf(templates.production, 'AWS::Lambda::Function'))
    expect(lambdas).not.toMatch(/Active|ReservedConcurrentExecutions/)
  })

  it('have one that runs every 15 minutes, and is not tried again before', () => {
    const rule = { ScheduleExpression: 'rate(15 minutes)', State: 'ENABLED' }
    templates.production.hasResourceProperties('AWS::Events::Rule', rule)
    templates.production.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 })
  })
})

it.each(environmentNames)(
  'a release of %s goes to the alias live of each function, which requests use, and keeps earlier versions, but none whose creation is rolled back',
  (environment) => {
    const api = templates[environment]
    const aliases = propertiesOf(api, 'AWS::Lambda::Alias')
    expect(aliases.map(({ Name }) => Name)).toEqual(functionNames().map(() => 'live'))
    for (const { FunctionName } of propertiesOf(api, 'AWS::Lambda::Permission'))
      expect(JSON.stringify(FunctionName)).toContain('Live')
    const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' }
    const versions = Object.values(resourcesOf(api, 'AWS::Lambda::Version'))
    expect(versions).toMatchObject(functionNames().map(() => kept))
  },
)

describe('a canary', () => {
  const groups = resourcesOf(templates.production, 'AWS::CodeDeploy::DeploymentGroup')
  const alarms = resourcesOf(templates.production, 'AWS::CloudWatch::Alarm')

  it('takes a tenth of the traffic of every function that serves requests, and is rolled back by what callers notice', () => {
    const used = Object.entries(resourcesOf(templates.production, 'AWS::Lambda::Alias')).flatMap(([id, alias]) =>
      // Nobody waits for the scheduled function, so no alarm tells anything about a release of it.
      id.startsWith('gatewaykeys') ? [] : [alias['UpdatePolicy'].CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref],
    )
    expect(used).toHaveLength(functionNames().length - 1)
    expect(used.toSorted()).toEqual(Object.keys(groups).toSorted())
    const Events = ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM']
    for (const { Properties } of Object.values(groups)) {
      expect(Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AutoRollbackConfiguration: { Enabled: true, Events },
        AlarmConfiguration: { Enabled: true },
      })
      const names = Properties.AlarmConfiguration.Alarms.map(({ Name }: { Name: { Ref: string } }) =>
        alarms[Name.Ref]?.Properties.AlarmName.replace('pet-adoption-production-', ''),
      )
      expect(names.toSorted()).toEqual(['authorizer-failures', 'errors-at-low-traffic', 'latency', 'server-errors'])
    }
  })

  it('is not used in staging, nor in the small size, nor for a fix that must not wait for an alarm', () => {
    const others = [presets.small, { release: 'all-at-once' }] as const
    for (const api of [templates.staging, ...others.map((change) => synthesize('production', change).api)]) {
      api.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0)
      expect(JSON.stringify(resourcesOf(api, 'AWS::Lambda::Alias'))).not.toContain('UpdatePolicy')
    }
  })
})
