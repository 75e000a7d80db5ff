import { expect, it } from 'vitest'
import { createPet } from '../../../../../shared/contract/generated/create-pet.ts'
import { getPet } from '../../../../../shared/contract/generated/get-pet.ts'
import { listPets } from '../../../../../shared/contract/generated/list-pets.ts'
import { createOperationHandler } from '../../../../../shared/http/operation.ts'
import { maximumBodyBytes } from '../../../../../shared/http/request/body.ts'
import { readInput } from '../../../../../shared/http/request/read-input.ts'
import { created } from '../../../../../shared/http/response/response.ts'
import { lambdaContext, readGatewayEvent, replaceHeader } from '../../../../events/events.ts'

// Refused requests and their messages are tested in test/requests.

/** Creates no pet. Responds with the body of its input. */
const echoPet = createOperationHandler(createPet, async ({ body }) => created({ id: 0n, status: 'available', ...body }))

// Some of these ids cannot stand in a URL, but a gateway that decodes path parameters may pass them.
it.each(['5%', '%', '%zz', '%C3', '%ed%a0%80', '5\0', ' 1', ''])('the path parameter %j identifies no pet', (petId) => {
  const event = readGatewayEvent('get-pet', { pathParameters: { petId } })

  expect(() => readInput(getPet, event)).toThrow('There is no pet with this id.')
})

it('a repeated header is 400', async () => {
  const event = replaceHeader(readGatewayEvent('create-pet'), 'Idempotency-Key', 'a', 'b')

  const response = await echoPet(event, lambdaContext)

  expect(response).toMatchObject({
    statusCode: 400,
    body: expect.stringContaining('Send Idempotency-Key once.'),
  })
})

const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64')

// API Gateway encodes no body of this API. Other gateways may.
it('a body in base64 is read to the digit', async () => {
  const body = encodeBase64('{"name":"Zoë","categoryId":9007199254740993}')

  const response = await echoPet(readGatewayEvent('create-pet', { body, isBase64Encoded: true }), lambdaContext)

  expect(response).toMatchObject({
    statusCode: 201,
    body: expect.stringContaining('"name":"Zoë","categoryId":9007199254740993'),
  })
})

it.each([
  { bytes: maximumBodyBytes, statusCode: 201 },
  { bytes: maximumBodyBytes + 1, statusCode: 413 },
])('a body in base64 of $bytes bytes is $statusCode', async ({ bytes, statusCode }) => {
  const body = encodeBase64('{"name":"Bella","categoryId":1}'.padEnd(bytes))

  const response = await echoPet(readGatewayEvent('create-pet', { body, isBase64Encoded: true }), lambdaContext)

  expect(response).toMatchObject({ statusCode })
})

it.each([
  { body: 'a body without a Content-Type', types: [] },
  { body: 'a body with two Content-Types', types: ['application/json', 'application/json'] },
])('$body is 415', async ({ types }) => {
  const event = replaceHeader(readGatewayEvent('create-pet'), 'Content-Type', ...types)

  expect(await echoPet(event, lambdaContext)).toMatchObject({ statusCode: 415 })
})

// API Gateway decodes these texts, so that an ill-formed one becomes a replacement character. Other gateways may not.
it('a query parameter with half of a surrogate pair is refused', () => {
  const event = readGatewayEvent('list-pets', { multiValueQueryStringParameters: { cursor: ['a\ud800'] } })

  expect(() => readInput(listPets, event)).toThrow('cursor has half of a surrogate pair. Send well-formed Unicode.')
})

it('a header with half of a surrogate pair is refused', async () => {
  const event = replaceHeader(readGatewayEvent('create-pet'), 'Idempotency-Key', '\udc36')

  const response = await echoPet(event, lambdaContext)

  expect(response).toMatchObject({
    statusCode: 400,
    body: expect.stringContaining('Idempotency-Key has half of a surrogate pair.'),
  })
})
