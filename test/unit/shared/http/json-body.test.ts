import { expect, it } from 'vitest'
import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import { operation } from '../../../../shared/http/operation.ts'
import { created } from '../../../../shared/http/response.ts'
import { gatewayEvent, lambdaContext, withHeader } from '../../../events/events.ts'

// All that one request can show is in test/requests/create-pet.ts.

const echo = operation(contract, async ({ body }) => created({ id: 0n, ...body }))

it.each([[[]], [['application/json', 'application/json']]])('a body is refused with the types %j', async (types) => {
  const event = withHeader(gatewayEvent('create-pet'), 'Content-Type', ...types)
  const { statusCode, body } = await echo(event, lambdaContext)
  expect([statusCode, JSON.parse(body).code]).toEqual([415, 'unsupported_media_type'])
})
