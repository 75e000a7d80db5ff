import { expect, test } from 'vitest'
import { gatewayResponse } from '../../../../../infra/local/gateway/gateway-response.ts'
import { restApi } from '../fixtures.ts'

const customized = { headers: { A: 'b' }, body: '{"own":true}' }

test.each([
  ['of AWS, where the API has none', 'INTEGRATION_TIMEOUT', {}, 504, '{"message":"Endpoint request timed out"}'],
  ['the one of its type', 'THROTTLED', { THROTTLED: { ...customized, status: 503 } }, 503, customized.body],
  ['DEFAULT_4XX, with the status of the type', 'QUOTA_EXCEEDED', { DEFAULT_4XX: customized }, 429, customized.body],
  ['DEFAULT_5XX, with the status of the type', 'DEFAULT_5XX', { DEFAULT_5XX: customized }, 502, customized.body],
] as const)('A gateway response is %s: %s', (_which, type, gatewayResponses, status, body) => {
  expect(gatewayResponse(restApi({ gatewayResponses }), type)).toMatchObject({ status, body })
})
