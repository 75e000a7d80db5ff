import { describe, expect, it } from 'vitest'
import { readContract } from '../../infra/contract/contract.ts'
import { isWellFormed } from '../../shared/api-keys/api-key.ts'
import { authorizerContext } from '../../shared/http/authorizer-context.ts'
import { snapshotOf } from '../../shared/rate-limit/admission.ts'
import { apiKeyRecord } from '../unit/shared/api-keys/records.ts'
import { authorizerEvent, gatewayEvent, gatewayEventNames, recordedApiKey } from './events.ts'

const record = apiKeyRecord()
const contextKeys = Object.keys(authorizerContext({ kind: 'admitted', ...snapshotOf(record, Date.now()) }))

describe.each(gatewayEventNames)('the recorded event %s', (name) => {
  const event = gatewayEvent(name)

  it('is of a route of the contract, or of none', () => {
    const routes = readContract().operations.map(({ method, path }) => `${method} ${path}`)
    const route = `${event.httpMethod} ${event.resource}`
    expect(name === 'unknown-route' ? ['GET /{proxy+}'] : routes).toContain(route)
  })

  it('has the whole context of the authorizer, as strings', () => {
    const context = Object.entries(event.requestContext.authorizer).filter(([name]) => name !== 'integrationLatency')
    expect(context.map(([name]) => name).sort()).toEqual([...contextKeys, 'principalId'].sort())
    expect(context.filter(([, value]) => typeof value !== 'string')).toEqual([])
  })
})

it.each(readContract().operations)('is recorded for $name, so that it can be invoked', ({ name }) => {
  expect(gatewayEventNames, `Add test/events/${name}.json.`).toContain(name)
})

it('carries a well-formed test key to the authorizer', () => {
  expect(isWellFormed(recordedApiKey, 'pet_test_')).toBe(true)
  expect(authorizerEvent().headers?.['Authorization']).toBe(`Bearer ${recordedApiKey}`)
})
