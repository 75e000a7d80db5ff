import { describe, expect, it } from 'vitest'
import { functionNames } from '../../../../../infra/bundling/function-bundle.ts'
import { environmentNames, presets } from '../../../../../infra/environments.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { everyOption, resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

const templates = { staging: synthesize('staging').api, production: synthesize('production').api }

describe('the permissions of the functions', () => {
  // test/promises/permissions compares those on tables with the calls that the functions make.
  it('are their own: no role has a managed policy, which would allow more', () => {
    for (const [id, { Properties }] of Object.entries(resourcesOf(templates.production, 'AWS::IAM::Role'))) {
      // API Gateway refuses less for its own role, and CDK gives CodeDeploy AWS's.
      if (/^(ApiRestApiCloudWatchRole|release)/.test(id)) continue
      expect(Properties, id).not.toHaveProperty('ManagedPolicyArns')
      expect(Properties, id).not.toHaveProperty('Policies')
    }
  })

  it('on API keys are to read them, and to create and delete those with the tag of the environment', () => {
    const statements = resolvedResources('staging')<{ PolicyDocument: { Statement: readonly Statement[] } }>(
      'IAM::Policy',
    )
      .flatMap(({ properties }) => properties.PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('apigateway:')))
    const allowed = statements.flatMap(({ Action, Resource, Condition }) =>
      [Resource].flat().flatMap((arn) => {
        const path = arn.replace(/^.*::/, '').replace(/plans\/.*(?=\/keys)/, 'plans/{id}')
        return [Action].flat().map((action) => [action.replace('apigateway:', ''), path, Condition] as const)
      }),
    )
    const ours = (kind: string) => ({ StringEquals: { [`aws:${kind}/environment`]: 'staging' } })
    const ofPlans = (verb: string) => planNames.map(() => [verb, '/usageplans/{id}/keys', undefined])
    expect(allowed).toEqual([
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
  const logGroups = resourcesOf(templates.production, 'AWS::Logs::LogGroup')

  it('log what goes wrong alone, each in a group of its own that expires', () => {
    const lambdas = Object.values(resourcesOf(templates.production, 'AWS::Lambda::Function'))
    const groups = lambdas.map(({ Properties }) => Properties.LoggingConfig.LogGroup.Ref)
    expect(new Set(groups).size).toBe(functionNames().length)
    for (const group of Object.values(logGroups)) expect(group.Properties.RetentionInDays).toBe(30)
    for (const { Properties } of lambdas) {
      expect(Properties.LoggingConfig).toMatchObject({ ApplicationLogLevel: 'WARN', SystemLogLevel: 'WARN' })
    }
  })

  it('take keys of their environment, and ban as it says', () => {
    for (const [environment, prefix] of [['staging', 'pet_test_'] as const, ['production', 'pet_live_'] as const]) {
      const bans = { REFUSALS_BEFORE_BAN: '100', FIRST_BAN_SECONDS: '60', LONGEST_BAN_SECONDS: '3600' }
      templates[environment].hasResourceProperties('AWS::Lambda::Function', {
        Environment: { Variables: { API_KEY_PREFIX: prefix, ...bans } },
      })
    }
  })

  it('are traced, as the API is, and have concurrency of their own, where the operator says so', () => {
    const { api } = synthesize('production', everyOption)
    api.allResourcesProperties('AWS::ApiGateway::Stage', { TracingEnabled: true })
    api.allResourcesProperties('AWS::Lambda::Function', {
      ...{ TracingConfig: { Mode: 'Active' }, ReservedConcurrentExecutions: 50 },
    })
    templates.production.allResourcesProperties('AWS::ApiGateway::Stage', { TracingEnabled: false })
    for (const { Properties } of Object.values(resourcesOf(templates.production, 'AWS::Lambda::Function'))) {
      expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions')
    }
  })

  it('have one that runs every 15 minutes, is not tried again before, and only reads and changes API keys', () => {
    const { production } = templates
    production.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(15 minutes)', State: 'ENABLED' })
    production.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 })
    const [policy] = Object.entries(resourcesOf(production, 'AWS::IAM::Policy')).filter(([id]) =>
      /^gatewaykeys/.test(id),
    )
    const actions = policy?.[1].Properties.PolicyDocument.Statement.flatMap(({ Action }: Statement) => Action)
    const onTables = actions.filter((action: string) => action.startsWith('dynamodb:'))
    expect(onTables).toEqual(['dynamodb:Scan', 'dynamodb:UpdateItem'])
  })
})

interface Statement {
  readonly Action: string | readonly string[]
  readonly Resource: string | readonly string[]
  readonly Condition?: unknown
}

describe.each(environmentNames)('a release of %s', (environment) => {
  const api = templates[environment]

  it('goes to the alias live of each function, which requests use', () => {
    const aliases = Object.values(resourcesOf(api, 'AWS::Lambda::Alias'))
    expect(aliases.map(({ Properties }) => Properties.Name)).toEqual(functionNames().map(() => 'live'))
    for (const { Properties } of Object.values(resourcesOf(api, 'AWS::Lambda::Permission'))) {
      expect(JSON.stringify(Properties.FunctionName)).toContain('Live')
    }
  })

  it('keeps earlier versions, so that an alias can be moved back, but none whose creation is rolled back', () => {
    const versions = Object.values(resourcesOf(api, 'AWS::Lambda::Version'))
    expect(versions).toHaveLength(functionNames().length)
    for (const version of versions) {
      expect(version).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
    }
  })
})

describe('a canary', () => {
  const groups = resourcesOf(templates.production, 'AWS::CodeDeploy::DeploymentGroup')
  const alarms = resourcesOf(templates.production, 'AWS::CloudWatch::Alarm')

  it('takes a tenth of the traffic of every function that serves requests', () => {
    const used = Object.entries(resourcesOf(templates.production, 'AWS::Lambda::Alias')).flatMap(([id, alias]) =>
      // Nobody waits for the scheduled function, so no alarm tells anything about a release of it.
      id.startsWith('gatewaykeys') ? [] : [alias['UpdatePolicy'].CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref],
    )
    expect(used).toHaveLength(functionNames().length - 1)
    expect(used.toSorted()).toEqual(Object.keys(groups).toSorted())
    for (const { Properties } of Object.values(groups)) {
      expect(Properties.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes')
    }
  })

  it('is rolled back by what callers notice', () => {
    const events = ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM']
    for (const { Properties } of Object.values(groups)) {
      expect(Properties.AutoRollbackConfiguration).toEqual({ Enabled: true, Events: events })
      expect(Properties.AlarmConfiguration.Enabled).toBe(true)
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
      for (const alias of Object.values(resourcesOf(api, 'AWS::Lambda::Alias'))) {
        expect(alias).not.toHaveProperty('UpdatePolicy')
      }
    }
  })
})
