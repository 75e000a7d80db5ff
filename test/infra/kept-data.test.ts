import { describe, expect, it } from 'vitest'
import { synthesize } from './synthesized.ts'

/**
 * Everything of production that holds what cannot be made again. Another logical id is another resource
 * to CloudFormation: it would create an empty one beside the old.
 */
const kept = {
  'AWS::DynamoDB::Table': ['ApiKeys3BB3983D', 'IdempotencyC15CBC33', 'Pets118546E0'],
  'AWS::Logs::LogGroup': [
    'ApiAccessLogRequests75419498',
    'authorizerLogsEEA86486',
    'createpetLogs310F2B6B',
    'getpetLogsE9255DA9',
    'listpetsLogs72E18C7E',
    'liststoreordersLogs5E33FFD9',
    'unknownrouteLogs63FCDAD8',
  ],
} as const

const resources = Object.values(synthesize('production')).flatMap((template) =>
  Object.entries<{ Type: string; DeletionPolicy?: string; UpdateReplacePolicy?: string }>(
    template.toJSON()['Resources'],
  ),
)

/** Holds nothing, or nothing that lasts: what is in them is made again by the next deployment. */
const holdsNothing = /^AWS::(ApiGateway|Lambda|IAM|CloudWatch|CodeDeploy|WAFv2|SNS|KMS)::|^AWS::Logs::MetricFilter$/

describe('what production keeps', () => {
  it.each(Object.entries(kept))('has its logical ids: %s', (type, ids) => {
    expect(resources.flatMap(([id, { Type }]) => (Type === type ? [id] : [])).sort()).toEqual([...ids].sort())
  })

  it('stays when a stack is deleted, or would replace it', () => {
    for (const [id, { Type, DeletionPolicy, UpdateReplacePolicy }] of resources) {
      if (holdsNothing.test(Type)) continue
      expect(Object.keys(kept), id).toContain(Type)
      expect([DeletionPolicy, UpdateReplacePolicy], id).toEqual(['Retain', 'Retain'])
    }
  })
})
