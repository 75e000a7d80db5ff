import { describe, expect, it } from 'vitest'
import { functionNames } from '../../../../../infra/bundling/function-bundle.ts'
import { environmentNames, presets } from '../../../../../infra/environments.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

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
