import { expect, it } from 'vitest'
import { handler } from '../../../../functions/list-store-orders/index.ts'
import { gatewayEvent, lambdaContext, withQuery } from '../../../events/events.ts'

const event = gatewayEvent('list-store-orders')

it('is reserved: it responds 501 with the limit headers', async () => {
  const { statusCode, headers, body } = await handler(event, lambdaContext)
  expect({ statusCode, json: JSON.parse(body) }).toEqual({
    statusCode: 501,
    json: { code: 'not_implemented', message: 'This operation is reserved and does nothing yet.', status: 501 },
  })
  expect(headers).toMatchObject({ 'X-RateLimit-Remaining': '41', 'Content-Type': 'application/json' })
})

it('validates no parameters', async () => {
  const { statusCode, body } = await handler(withQuery(event, 'limit=5'), lambdaContext)
  expect({ statusCode, code: JSON.parse(body).code }).toEqual({ statusCode: 501, code: 'not_implemented' })
})
