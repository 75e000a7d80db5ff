import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readFunctionFolders } from '../../../../infra/constructs/functions/function-folders.ts'
import { defaults, presets } from '../../../../infra/environments.ts'
import { checkEnvironment } from '../../../../infra/stacks/check-environment.ts'
import { createStage, synthesize } from '../synthesized.ts'

/**
 * Everything of production that holds what cannot be made again. Another logical id is another resource
 * to CloudFormation: it would create an empty one beside the old.
 */
const kept = {
  'AWS::DynamoDB::Table': ['ApiKeys3BB3983D', 'IdempotencyC15CBC33', 'Pets118546E0'],
  // Each name spells the path in the stack, of which CDK adds a hash.
  'AWS::Logs::LogGroup': [
    'ApiAccessLogRequests',
    'Audit3D8ADE0A',
    ...readFunctionFolders().map((name) => `${name.replaceAll('-', '')}Logs`),
  ],
} as const

interface TemplateResource {
  readonly Type: string
  readonly DeletionPolicy?: string
  readonly UpdateReplacePolicy?: string
  readonly Properties?: unknown
}

const resourcesIn = (template: Template) => Object.entries<TemplateResource>(template.toJSON()['Resources'])

/** Each deployment makes the reference's files again, so all of it may go. */
const { reference, ...others } = synthesize('production')
const resources = Object.values(others).flatMap(resourcesIn)

/**
 * What keys and callers know by an id that AWS gives: API and reference by their URLs, the plans by the keys in them.
 * They go with their stack, which is therefore protected, and never for another logical id.
 */
const known = {
  'AWS::CloudFront::Distribution': ['HostingDistributionC6A6E351'],
  'AWS::ApiGateway::RestApi': ['ApiRestApiE35FEAFE'],
  'AWS::ApiGateway::UsagePlan': [
    'UsagePlansbusiness52B5530A',
    'UsagePlansenterprise5CFF95A5',
    'UsagePlansfree923DF7CE',
    'UsagePlanspro0F60DE4A',
    'UsagePlansreserved56F40F26',
  ],
} as const

/** Holds no data: the next deployment makes it again, although API and usage plans get other ids then. */
const holdsNoData =
  /^AWS::(ApiGateway|Lambda|Events|IAM|CloudWatch|CodeDeploy|WAFv2|SNS)::|^AWS::Logs::(MetricFilter|QueryDefinition)$/

describe('what production keeps', () => {
  it.each(Object.entries(kept))('has its logical ids: %s', (type, ids) => {
    const found = resources.flatMap(([id, { Type }]) => (Type === type ? [id] : []))
    expect(found.map((id) => id.replace(/(?<=Requests|Logs)[0-9A-F]{8}$/, '')).sort()).toEqual([...ids].sort())
  })

  it.each(Object.entries(known))('has the logical ids of what is known by its id: %s', (type, ids) => {
    const all = [...resources, ...resourcesIn(reference)]
    expect(all.flatMap(([id, { Type }]) => (Type === type ? [id] : [])).sort()).toEqual([...ids].sort())
  })

  it('is protected from deletion with its stack', () => {
    const [production, staging] = [createStage('production'), createStage('staging')]
    for (const stack of [production.data, production.api, production.reference])
      expect(stack.terminationProtection).toBe(true)
    for (const stack of [staging.data, staging.api, staging.reference]) expect(stack.terminationProtection).toBe(false)
  })

  it('stays when a stack is deleted, or would replace it', () => {
    for (const [id, { Type, DeletionPolicy, UpdateReplacePolicy }] of resources) {
      if (holdsNoData.test(Type)) continue
      expect(Object.keys(kept), id).toContain(Type)
      expect([DeletionPolicy, UpdateReplacePolicy], id).toEqual(['Retain', 'Retain'])
    }
  })
  it('is nothing of the reference, which leaves nothing behind', () => {
    for (const [id, { DeletionPolicy = 'Delete' }] of resourcesIn(reference)) expect(DeletionPolicy, id).toBe('Delete')
  })

  it('is the same of the small size', () => {
    const protection = (template: Template) =>
      resourcesIn(template).map(([id, { Type, DeletionPolicy, Properties }]) => [id, Type, DeletionPolicy, Properties])
    expect(protection(synthesize('production', presets.small).data)).toEqual(protection(others.data))
    const config = { ...defaults.production, ...presets.small }
    const { data, api, reference: page } = createStage('production', { config })
    for (const stack of [data, api, page]) expect(stack.terminationProtection).toBe(true)
  })

  it('has no configuration without protection, which ends the synth', () => {
    const unprotected = { ...defaults.production, data: 'disposable' } as const
    expect(() => checkEnvironment('production', unprotected)).toThrow('production.data must be protected')
  })
})
