import { describe, expect, it } from 'vitest'
import { functionNames } from '../../../../../infra/bundling/function-bundle.ts'
import { environmentNames, presets } from '../../../../../infra/environments.ts'
import { plain, resourcesOf, synthesize } from '../../synthesized.ts'

const templates = { staging: synthesize('staging').api, production: synthesize('production').api }
const groups = resourcesOf(templates.production, 'AWS::CodeDeploy::DeploymentGroup')
const alarms = resourcesOf(templates.production, 'AWS::CloudWatch::Alarm')

describe.each(environmentNames)('a release of %s', (environment) => {
  it('goes to the alias live of each function, which requests use', () => {
    const aliases = Object.values(resourcesOf(templates[environment], 'AWS::Lambda::Alias'))
    expect(aliases.map(({ Properties }) => Properties['Name'])).toEqual(functionNames().map(() => 'live'))
    for (const { Properties } of Object.values(resourcesOf(templates[environment], 'AWS::Lambda::Permission'))) {
      expect(JSON.stringify(Properties['FunctionName'])).toContain('Live')
    }
  })

  it('keeps earlier versions, so that an alias can be moved back, but none whose creation is rolled back', () => {
    const versions = Object.values(resourcesOf(templates[environment], 'AWS::Lambda::Version'))
    expect(versions).toHaveLength(functionNames().length)
    for (const version of versions) {
      expect(version).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
    }
  })
})

describe('a canary', () => {
  /** Nobody waits for the scheduled function, so no alarm tells anything about a release of it. */
  const serving = Object.entries(resourcesOf(templates.production, 'AWS::Lambda::Alias')).filter(
    ([id]) => !id.startsWith('gatewaykeys'),
  )

  it('takes a tenth of the traffic of every function that serves requests, and all of it back on an alarm', () => {
    const used = serving.map(([, alias]) => plain(alias).UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName)
    expect(used.map(({ Ref }) => Ref).toSorted()).toEqual(Object.keys(groups).toSorted())
    expect(serving).toHaveLength(functionNames().length - 1)
    for (const { Properties } of Object.values(groups)) {
      expect(Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
        },
      })
    }
  })

  it.each(Object.keys(groups))('is rolled back by what callers notice: %s', (id) => {
    const { Enabled, Alarms } = plain(groups[id]?.Properties['AlarmConfiguration'])
    const names = Alarms.map(({ Name }: { Name: { Ref: string } }) => alarms[Name.Ref]?.Properties['AlarmName'])
    const expected = ['authorizer-failures', 'errors-at-low-traffic', 'latency', 'server-errors']
    expect([Enabled, names.toSorted()]).toEqual([true, expected.map((name) => `pet-adoption-production-${name}`)])
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
