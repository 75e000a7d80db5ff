import { expect, it } from 'vitest'
import { readContract } from '../../infra/contract/contract.ts'
import { authorizerContext } from '../../shared/http/authorizer-context.ts'
import { snapshotOf } from '../../shared/rate-limit/admission.ts'
import { apiKeyRecord } from '../unit/shared/api-keys/records.ts'
import { gatewayEvent, gatewayEventNames } from './events.ts'

const { operations } = readContract()
const context = authorizerContext({ kind: 'admitted', ...snapshotOf(apiKeyRecord(), Date.now()) })

it.each(gatewayEventNames)(
  'the recorded event %s is of a route of the contract, or of none, and has the whole context of the authorizer, as strings',
  (name) => {
    const { httpMethod, resource, requestContext } = gatewayEvent(name)
    const routes = [...operations.map(({ method, path }) => `${method} ${path}`), 'GET /{proxy+}']
    expect(routes).toContain(`${httpMethod} ${resource}`)
    const strings = [...Object.keys(context), 'principalId'].map((value) => [value, expect.any(String)])
    expect(requestContext.authorizer).toEqual({ ...Object.fromEntries(strings), integrationLatency: 34 })
  },
)

it.each(operations)('an event is recorded for $name, so that it can be invoked', ({ name }) => {
  expect(gatewayEventNames, `Add test/events/${name}.json.`).toContain(name)
})
