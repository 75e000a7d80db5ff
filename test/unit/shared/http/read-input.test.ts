import { expect, it } from 'vitest'
import { createPet } from '../../../../shared/contract/generated/create-pet.ts'
import { getPet } from '../../../../shared/contract/generated/get-pet.ts'
import { listPets } from '../../../../shared/contract/generated/list-pets.ts'
import { readInput } from '../../../../shared/http/read-input.ts'
import { gatewayEvent, withHeader, withQuery } from '../../../events/events.ts'

// What is refused over HTTP, and the messages, are rows of test/requests.

it('the query is read with its types and defaults', () => {
  const query = (text: string) => readInput(listPets, withQuery(gatewayEvent('list-pets'), text)).query
  expect(query('limit=100&status=sold&cursor=5')).toEqual({ limit: 100, status: 'sold', cursor: '5' })
  expect(readInput(listPets, gatewayEvent('list-pets')).query).toEqual({ limit: 20 })
})

it.each(['5%', '%', '%zz', '%C3', '%ed%a0%80', '5\0', ' 1', ''])(
  'a path with %j, which URLs cannot have or other gateways decode, names no pet',
  (petId) => {
    const event = gatewayEvent('get-pet', { pathParameters: { petId } })
    expect(() => readInput(getPet, event)).toThrow('There is no pet with this id.')
  },
)

it('a header is read as text, whatever the case of its name, and refused where it is sent twice', () => {
  const newPet = { name: 'Bella', categoryId: 1n }
  // The type of the event allows only text.
  const event = gatewayEvent('create-pet', { body: newPet as unknown as string })
  const headers = (...values: string[]) => readInput(createPet, withHeader(event, 'idempotency-KEY', ...values)).headers
  expect([headers('5'), headers()]).toEqual([{ 'Idempotency-Key': '5' }, {}])
  const refusal = { code: 'invalid_header', message: 'Send Idempotency-Key once.' }
  expect(() => headers('a', 'b')).toThrow(expect.objectContaining(refusal))
})
