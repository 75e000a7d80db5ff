import { describe, expect, it } from 'vitest'
import { readFunctionFolders } from '../../../../../infra/constructs/functions/function-folders.ts'
import { environmentNames } from '../../../../../infra/environments.ts'
import { options, resourcesOf, synthesize } from '../../synthesized.ts'

const templates = { staging: synthesize('staging').api, production: synthesize('production').api }

const groups = resourcesOf(templates.production, 'AWS::CodeDeploy::DeploymentGroup')
const alarms = resourcesOf(templates.production, 'AWS::CloudWatch::Alarm')

/** The function's name, from the logical id of a deployment group. */
const nameOf = (groupId: string): string =>
  String(
    readFunctionFolders().find((name) => new RegExp(`^Releases${name.replaceAll('-', '')}[0-9A-F]{8}$`).test(groupId)),
  )

const alarmsOf = (groupId: string): readonly string[] => {
  const { Alarms } = JSON.parse(JSON.stringify(groups[groupId]?.Properties['AlarmConfiguration']))
  return Alarms.map(({ Name }: { Name: { Ref: string } }) =>
    String(alarms[Name.Ref]?.Properties['AlarmName']).replace('pet-adoption-production-', ''),
  ).sort()
}

describe.each(environmentNames)('a release of %s', (environment) => {
  const aliases = Object.values(resourcesOf(templates[environment], 'AWS::Lambda::Alias'))

  it('goes to the alias live of each function, which requests use', () => {
    expect(aliases).toHaveLength(readFunctionFolders().length)
    for (const { Properties } of aliases) expect(Properties).toMatchObject({ Name: 'live' })
    for (const { Properties } of Object.values(resourcesOf(templates[environment], 'AWS::Lambda::Permission'))) {
      expect(JSON.stringify(Properties['FunctionName'])).toContain('Live')
    }
  })

  it('keeps earlier versions, so that an alias can be moved back, but none whose creation is rolled back', () => {
    const versions = Object.values(resourcesOf(templates[environment], 'AWS::Lambda::Version'))
    expect(versions).toHaveLength(readFunctionFolders().length)
    for (const version of versions) {
      expect(version).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
    }
  })
})

describe('a release of staging', () => {
  it('takes all traffic at once', () => {
    templates.staging.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0)
    for (const alias of Object.values(resourcesOf(templates.staging, 'AWS::Lambda::Alias'))) {
      expect(alias).not.toHaveProperty('UpdatePolicy')
    }
  })
})

/** Nobody waits for the scheduled function, so no alarm tells anything about a release of it. */
const isServing = (id: string): boolean => !/^gateway-?keys/.test(id)

describe('a release of production', () => {
  it('takes a tenth of the traffic for five minutes, and all of it back on an alarm', () => {
    expect(Object.keys(groups).map(nameOf).sort()).toEqual(readFunctionFolders().filter(isServing))
    for (const { Properties } of Object.values(groups)) {
      expect(Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AlarmConfiguration: { Enabled: true },
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
        },
      })
    }
    for (const [id, alias] of Object.entries(resourcesOf(templates.production, 'AWS::Lambda::Alias'))) {
      if (!isServing(id)) continue
      const { CodeDeployLambdaAliasUpdate } = JSON.parse(JSON.stringify(alias['UpdatePolicy']))
      expect(Object.keys(groups)).toContain(CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref)
    }
  })

  it.each(Object.keys(groups))('is rolled back by what callers notice: %s', (id) => {
    expect(alarmsOf(id)).toEqual(['authorizer-failures', 'errors-at-low-traffic', 'latency', 'server-errors'])
  })

  it('may move the aliases of these functions only, and read their versions', () => {
    const [policy] = Object.entries(resourcesOf(templates.production, 'AWS::IAM::Policy')).flatMap(([id, resource]) =>
      id.startsWith('ReleasesRole') ? [resource] : [],
    )
    const [alarmsRead, aliasesMoved, ...more] = JSON.parse(
      JSON.stringify(policy?.Properties['PolicyDocument']),
    ).Statement
    expect(alarmsRead).toMatchObject({ Action: 'cloudwatch:DescribeAlarms', Resource: '*' })
    expect(aliasesMoved.Action).toEqual([
      'lambda:GetAlias',
      'lambda:GetProvisionedConcurrencyConfig',
      'lambda:UpdateAlias',
    ])
    const functions = Object.keys(resourcesOf(templates.production, 'AWS::Lambda::Function')).filter(isServing)
    const arns = functions.map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] }))
    expect(aliasesMoved.Resource).toHaveLength(2 * arns.length)
    expect(aliasesMoved.Resource).toEqual(
      expect.arrayContaining(arns.flatMap((arn) => [arn, { 'Fn::Join': ['', [arn, ':*']] }])),
    )
    expect(more).toEqual([])
  })

  it('can be all at once, for a fix that must not wait for an alarm', () => {
    synthesize('production', options.production).api.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0)
  })
})
