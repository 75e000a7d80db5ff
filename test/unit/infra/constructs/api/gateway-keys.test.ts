import { describe, expect, it } from 'vitest'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('staging')

const only = (type: string) => {
  const [found, ...more] = Object.entries(resourcesOf(api, type)).filter(([id]) => id.startsWith('gatewaykeys'))
  expect(more).toEqual([])
  return found?.[1].Properties ?? {}
}

/** A value of the template, with a logical id for each reference. */
const text = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/\{"Ref":"(?:AWS::)?(\w+?)(?:[0-9A-F]{8})?"\}/g, '"$1"')
    .replaceAll(/\{"Fn::Join":\["",\[(.*?)\]\]\}/g, (_, parts: string) =>
      JSON.stringify(JSON.parse(`[${parts}]`).join('')),
    )

describe('gateway-keys', () => {
  it('runs every 15 minutes, and is not tried again before', () => {
    expect(only('AWS::Events::Rule')).toMatchObject({ ScheduleExpression: 'rate(15 minutes)', State: 'ENABLED' })
    expect(only('AWS::Lambda::EventInvokeConfig')).toMatchObject({ MaximumRetryAttempts: 0 })
  })

  it('may only read API keys, and create and delete those with the tag of its environment', () => {
    const { Statement } = JSON.parse(text(only('AWS::IAM::Policy')['PolicyDocument']))
    const arn = 'arn:Partition:apigateway:Region::'
    const members = planNames.toSorted().map((plan) => `${arn}/usageplans/UsagePlans${plan}/keys`)
    const ours = (kind: string) => ({ StringEquals: { [`aws:${kind}/environment`]: 'staging' } })
    const Effect = 'Allow'
    expect(Statement.slice(2)).toEqual([
      { Effect, Action: 'apigateway:GET', Resource: [`${arn}/apikeys`, ...members] },
      { Effect, Action: 'apigateway:POST', Resource: members },
      { Effect, Action: 'apigateway:POST', Resource: `${arn}/apikeys`, Condition: ours('RequestTag') },
      {
        ...{ Effect, Action: ['apigateway:POST', 'apigateway:PUT'] },
        ...{ Resource: `${arn}/tags/*`, Condition: ours('RequestTag') },
      },
      { Effect, Action: 'apigateway:DELETE', Resource: `${arn}/apikeys/*`, Condition: ours('ResourceTag') },
    ])
    expect(Statement.slice(0, 2).map(({ Action }: { Action: unknown }) => Action)).toEqual([
      ['logs:CreateLogStream', 'logs:PutLogEvents'],
      ['dynamodb:Scan', 'dynamodb:UpdateItem'],
    ])
  })
})
