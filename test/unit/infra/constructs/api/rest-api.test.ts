import { expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import {
  everyOption,
  findProperties,
  resolveStagingResources,
  synthesizeTemplates,
} from '../../../../fixtures/templates.ts'

const { api } = synthesizeTemplates('staging')
const { methods } = readRestApi(resolveStagingResources())

it('every request but a preflight needs the authorizer and an API key, and a preflight names the methods of its path', () => {
  const [preflights, others] = [true, false].map((isPreflight) =>
    methods.filter(({ httpMethod }) => (httpMethod === 'OPTIONS') === isPreflight),
  )
  const open = others?.filter(({ authorizer, apiKeyRequired }) => authorizer === undefined || !apiKeyRequired)
  expect(open).toEqual([])
  const ofPath = Map.groupBy(readContract().operations, ({ path }) => path)
  const every = 'DELETE,GET,HEAD,PATCH,POST,PUT'
  const allowed = [...ofPath].map(([path, operations]) => [path, operations.map(({ method }) => method).join()])
  expect(preflights?.map(({ path, integration }) => [path, integration]).toSorted()).toMatchObject(
    [...allowed, ['/', every], ['/{proxy+}', every]]
      .map(([path, own]) => [path, { headers: { 'Access-Control-Allow-Methods': `${own},OPTIONS` } }])
      .toSorted(),
  )
})

it('the endpoint refuses TLS older than 1.2, and is the domain alone where one is set', () => {
  // TLS 1.2 with forward secrecy, and TLS 1.3.
  const transport = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', EndpointAccessMode: 'STRICT' }
  api.hasResourceProperties('AWS::ApiGateway::RestApi', { ...transport, DisableExecuteApiEndpoint: false })
  const { api: withDomain } = synthesizeTemplates('production', everyOption)
  const { name: DomainName, certificateArn: RegionalCertificateArn } = everyOption.domain
  withDomain.hasResourceProperties('AWS::ApiGateway::RestApi', { ...transport, DisableExecuteApiEndpoint: true })
  withDomain.hasResourceProperties('AWS::ApiGateway::DomainName', { ...transport, DomainName, RegionalCertificateArn })
  withDomain.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v1' })
  withDomain.hasOutput('BaseUrl', { Value: 'https://api.example.org/v1' })
  for (const name of ['DomainTarget', 'DomainTargetHostedZoneId']) withDomain.hasOutput(name, {})
})

// That production has a firewall before its stage, the rules of AWS say: findings.test.ts.
it('the web firewall blocks an address that sends more than a shelter would, and staging has none', () => {
  const Statement = { RateBasedStatement: { Limit: 20_000, AggregateKeyType: 'IP' } }
  const firewall = { DefaultAction: { Allow: {} }, Rules: [{ Action: { Block: {} }, Statement }] }
  synthesizeTemplates('production').api.hasResourceProperties('AWS::WAFv2::WebACL', firewall)
  api.resourceCountIs('AWS::WAFv2::WebACL', 0)
})

// edge-throttle.test.ts judges their limits, and the emulator sends requests on the reserved key.
it('there is a usage plan for each plan, and the reserved key, which the authorizer names, is of one environment', () => {
  const plans = findProperties(api, 'AWS::ApiGateway::UsagePlan')
  expect(plans).toHaveLength(planNames.length + 1)
  const unlimited = plans.filter((plan) => !('Throttle' in plan || 'Quota' in plan))
  expect(unlimited.map(({ UsagePlanName }) => UsagePlanName.split('-').at(-1))).toEqual(['enterprise', 'reserved'])
  const [reserved] = findProperties(api, 'AWS::ApiGateway::ApiKey')
  api.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: { RESERVED_GATEWAY_KEY: reserved.Value } },
  })
  // Values are unique in an account and Region.
  const [inProduction] = findProperties(synthesizeTemplates('production').api, 'AWS::ApiGateway::ApiKey')
  expect(inProduction.Value).not.toBe(reserved.Value)
})
