import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { tableAccess } from '../../../../infra/constructs/functions/table-access.ts'
import { presets } from '../../../../infra/environments.ts'
import {
  createStage,
  findProperties,
  findResources,
  synthesizeTemplates,
} from '../../../fixtures/environment/templates.ts'

const { api } = synthesizeTemplates('production')

/** Finds the aliases that a release moves by CodeDeploy, each with its deployment group. */
const findCanaries = (template: Template) => {
  const canaries = new Map<string, string>()
  for (const [id, { UpdatePolicy }] of Object.entries(findResources(template, 'AWS::Lambda::Alias'))) {
    if (UpdatePolicy !== undefined) canaries.set(id, UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref)
  }
  return canaries
}

describe('a release of production', () => {
  const deploymentGroups = findResources(api, 'AWS::CodeDeploy::DeploymentGroup')

  it('a release of production is a canary for every function but gateway-keys', () => {
    const canaries = findCanaries(api)

    // Nobody waits for the scheduled function, so no alarm shows anything about a release of it.
    expect([...canaries.keys()].filter((id) => id.startsWith('gatewaykeys'))).toEqual([])
    expect(canaries.size).toBe(Object.keys(tableAccess).length - 1)
    expect([...canaries.values()].toSorted()).toEqual(Object.keys(deploymentGroups).toSorted())
  })

  it('all canaries of production have one role', () => {
    const roles = Object.values(deploymentGroups).map(({ Properties }) => JSON.stringify(Properties.ServiceRoleArn))

    expect(new Set(roles).size).toBe(1)
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

  // The next release needs the deployment groups again. If they and their role were created anew, CodeDeploy might
  // refuse the role, because it is seconds old.
  it('a release with -c production.release=all-at-once moves each alias at once, and removes no resource', () => {
    const atOnce = Template.fromStack(createStage('production', {}, { 'production.release': 'all-at-once' }).api)

    expect(findCanaries(atOnce).size).toBe(0)
    expect(Object.keys(findResources(atOnce)).toSorted()).toEqual(Object.keys(findResources(api)).toSorted())
  })
})

it.each([
  { name: 'staging', template: synthesizeTemplates('staging').api },
  { name: 'production with the preset small', template: synthesizeTemplates('production', presets.small).api },
])('a release of $name moves each alias at once', ({ template }) => {
  template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0)
  expect(findCanaries(template).size).toBe(0)
})

it('only API Gateway and the schedule may invoke functions, and only by their aliases', () => {
  const permissions = findProperties(api, 'AWS::Lambda::Permission')

  // A permission without SourceArn would allow every API and every rule.
  const invokers = permissions.map(({ Principal, SourceArn }) => (SourceArn === undefined ? 'anybody' : Principal))
  expect(new Set(invokers)).toEqual(new Set(['apigateway.amazonaws.com', 'events.amazonaws.com']))
  // The console of API Gateway can test a method only if its stage `test-invoke-stage` may invoke the function.
  expect(JSON.stringify(permissions)).not.toContain('test-invoke-stage')
  const invokedNames = permissions.map(({ FunctionName }) => JSON.stringify(FunctionName))
  expect(invokedNames.filter((name) => !name.includes('Live'))).toEqual([])
})
