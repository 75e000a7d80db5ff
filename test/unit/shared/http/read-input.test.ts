import { expect, it } from 'vitest'
import { createPet } from '../../../../shared/contract/generated/create-pet.ts'
import { getPet } from '../../../../shared/contract/generated/get-pet.ts'
import { listPets } from '../../../../shared/contract/generated/list-pets.ts'
import { createOperationHandler } from '../../../../shared/http/operation.ts'
import { readInput } from '../../../../shared/http/read-input.ts'
import { created } from '../../../../shared/http/response.ts'
import { lambdaContext, readGatewayEvent, replaceHeader, replaceQuery } from '../../../events/events.ts'

// What is refused over HTTP, and the messages, are rows of test/requests.

it('the query is read with its types and defaults', () => {
  const query = (text: string) => readInput(listPets, replaceQuery(readGatewayEvent('list-pets'), text)).query
  expect(query('limit=100&status=sold&cursor=5')).toEqual({ limit: 100, status: 'sold', cursor: '5' })
  expect(readInput(listPets, readGatewayEvent('list-pets')).query).toEqual({ limit: 20 })
})

it.each(['5%', '%', '%zz', '%C3', '%ed%a0%80', '5\0', ' 1', ''])(
  'a path with %j, which URLs cannot have or other gateways decode, names no pet',
  (petId) => {
    const event = readGatewayEvent('get-pet', { pathParameters: { petId } })
    expect(() => readInput(getPet, event)).toThrow('There is no pet with this id.')
  },
)

const add = createOperationHandler(createPet, async ({ headers, body }) => created({ id: 0n, ...body }, { ...headers }))

const withoutKey = expect.not.objectContaining({ 'Idempotency-Key': expect.anything() })

it.each([
  ['idempotency-KEY', ['5'], { statusCode: 201, headers: { 'Idempotency-Key': '5' } }],
  ['Idempotency-Key', [], { statusCode: 201, headers: withoutKey }],
  ['Idempotency-Key', ['a', 'b'], { statusCode: 400, body: expect.stringContaining('Send Idempotency-Key once.') }],
  ['Content-Type', [], { statusCode: 415 }],
  ['Content-Type', ['application/json', 'application/json'], { statusCode: 415 }],
])('the header %s is read as text, whatever the case of its name, and once: %j', async (name, values, expected) => {
  const event = replaceHeader(readGatewayEvent('create-pet'), name, ...values)
  expect(await add(event, lambdaContext)).toMatchObject(expected)
})
