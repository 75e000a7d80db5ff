import { describe, expect, it } from 'vitest'
import { createPet } from '../../../../shared/contract/generated/create-pet.ts'
import { getPet } from '../../../../shared/contract/generated/get-pet.ts'
import { listPets } from '../../../../shared/contract/generated/list-pets.ts'
import { parseExactJson } from '../../../../shared/exact-json.ts'
import { readInput } from '../../../../shared/http/read-input.ts'
import { gatewayEvent, withHeader, withQuery } from '../../../events/events.ts'

// What is refused over HTTP, and the messages, are rows of test/requests.

describe('the query', () => {
  const query = (text: string) => readInput(listPets, withQuery(gatewayEvent('list-pets'), text)).query

  it('is read with its types and defaults', () => {
    expect(query('limit=100&status=sold&cursor=5')).toEqual({ limit: 100, status: 'sold', cursor: '5' })
    expect(readInput(listPets, gatewayEvent('list-pets')).query).toEqual({ limit: 20 })
  })

  it('is refused with a message that strict JSON parsers read, also where it cuts a name in a surrogate pair', () => {
    expect(() => query(`${'x'.repeat(63)}🐶=1`)).toThrow(`${'x'.repeat(63)}\uFFFD... is not a query parameter`)
  })
})

describe('the path', () => {
  const petId = (text: string) => readInput(getPet, gatewayEvent('get-pet', { pathParameters: { petId: text } })).path

  it.each([
    ['0', '%30'],
    ['-1', '%2D1'],
    ['-1', '%2d%31'],
    ['9223372036854775807', '%39223372036854775807'],
    ['-9223372036854775808', '-922337203685477580%38'],
  ])('is the same exact id %s as %s, encoded by a caller', (decoded, encoded) => {
    expect(petId(encoded)).toEqual({ petId: BigInt(decoded) })
    expect(petId(decoded)).toEqual({ petId: BigInt(decoded) })
  })

  it.each([
    ...['%253409', '%2B5', '+5', '5%2F6', '5/6', '5%00', '5\0', '5%25', '5%', '%D9%A5', '٥'],
    ...['9223372036854775808', 'abc', '1.0', '1e3', '01', ' 1', '', '%', '%zz', '%C3', '%ed%a0%80'],
  ])('names nothing that could be found, encoded or decoded, where it is no int64: %j', (text) => {
    expect(() => petId(text)).toThrow('There is no pet with this id.')
  })
})

describe('the headers', () => {
  const event = gatewayEvent('create-pet', { body: parseExactJson('{"name":"Bella","categoryId":1}') as string })
  const headers = (...values: string[]) => readInput(createPet, withHeader(event, 'idempotency-KEY', ...values)).headers

  it('contain only those of the operation, whatever their case, as text', () => {
    expect([headers('abc'), headers('5'), headers()]).toEqual([
      { 'Idempotency-Key': 'abc' },
      { 'Idempotency-Key': '5' },
      {},
    ])
  })

  it('are refused where one is sent twice', () => {
    expect(() => headers('a', 'b')).toThrow(
      expect.objectContaining({ code: 'invalid_header', message: 'Send Idempotency-Key once.' }),
    )
  })
})

it.each([
  ['-0', 0n],
  ['1e3', 1_000n],
])('the body accepts every int64, in every notation: %s', (text, value) => {
  const body = parseExactJson(`{"name":"Bella","categoryId":${text}}`) as string
  expect(readInput(createPet, gatewayEvent('create-pet', { body })).body).toEqual({
    ...{ name: 'Bella', categoryId: value, status: 'available' },
  })
})
