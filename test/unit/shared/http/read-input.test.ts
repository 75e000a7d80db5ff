import { describe, expect, it } from 'vitest'
import { createPet } from '../../../../shared/contract/generated/create-pet.ts'
import { getPet } from '../../../../shared/contract/generated/get-pet.ts'
import { listPets } from '../../../../shared/contract/generated/list-pets.ts'
import { parseExactJson } from '../../../../shared/exact-json.ts'
import type { GatewayEvent } from '../../../../shared/http/gateway-event.ts'
import { readInput } from '../../../../shared/http/read-input.ts'
import { gatewayEvent, withHeader, withQuery } from '../../../events/events.ts'
import { refusalOf } from './refusal-of.ts'

const query = (text: string) => readInput(listPets, withQuery(gatewayEvent('list-pets'), text)).query

/** An event whose body has been parsed, as the middleware before leaves it. */
const withBody = (text: string): GatewayEvent => gatewayEvent('create-pet', { body: parseExactJson(text) as string })

const body = (text: string) => readInput(createPet, withBody(text)).body

describe('the query', () => {
  it('has its defaults where nothing was sent', () => {
    expect(readInput(listPets, gatewayEvent('list-pets')).query).toEqual({ limit: 20 })
  })

  it('is read with its types', () => {
    expect(query('limit=100&status=sold&cursor=abc')).toEqual({ limit: 100, status: 'sold', cursor: 'abc' })
    expect(query('limit=1').limit).toBe(1)
  })

  const limitRule = 'limit must be an integer from 1 to 100.'
  const unknown = (name: string) =>
    `${name} is not a query parameter of this operation. It takes limit, status and cursor.`
  it.each([
    ['limit=0', limitRule],
    ['limit=101', limitRule],
    ['limit=1e1', limitRule],
    ['limit=', limitRule],
    ['limit=18446744073709551621', limitRule],
    ['limit=%2020', limitRule],
    ['status=unknown', 'status must be one of available, pending, sold.'],
    ['status=', 'status must be one of available, pending, sold.'],
    ['cursor=', 'cursor must be a string of 1 to 100 characters.'],
    [`cursor=${'a'.repeat(101)}`, 'cursor must be a string of 1 to 100 characters.'],
    ['limit=5&limit=5', 'Send limit once.'],
    ['status=sold&status=pending', 'Send status once.'],
    ['page=2', unknown('page')],
    ['Limit=5', unknown('Limit')],
    ['__proto__=1', unknown('__proto__')],
    [`${'x'.repeat(64)}=1`, unknown('x'.repeat(64))],
    [`${'x'.repeat(65)}=1`, unknown(`${'x'.repeat(64)}...`)],
  ])('is refused with a message that names what to change: %s', async (text, message) => {
    expect(await refusalOf(() => query(text))).toEqual({ code: 'invalid_parameter', message })
  })

  it('is refused where an operation takes none', async () => {
    expect(await refusalOf(() => readInput(getPet, withQuery(gatewayEvent('get-pet'), 'fields=name')))).toEqual({
      code: 'invalid_parameter',
      message: 'fields is not a query parameter of this operation. It takes none.',
    })
  })
})

describe('the path', () => {
  const petId = (text: string) => readInput(getPet, gatewayEvent('get-pet', { pathParameters: { petId: text } })).path

  it.each(['0', '-1', '9223372036854775807', '-9223372036854775808'])('is read exactly: %s', (text) => {
    expect(petId(text)).toEqual({ petId: BigInt(text) })
  })

  it.each([
    ['4099276800035', '%34099276800035'],
    ['-1', '%2D1'],
    ['-1', '%2d%31'],
  ])('is the same id %s as %s, encoded by a caller', (decoded, encoded) => {
    expect(petId(encoded)).toEqual({ petId: BigInt(decoded) })
    expect(petId(encoded)).toEqual(petId(decoded))
  })

  it.each([
    ['encoded twice', '%253409', '%3409x'],
    ['with a plus sign', '%2B5', '+5'],
    ['with a slash', '5%2F6', '5/6'],
    ['with a NUL', '5%00', '5\0'],
    ['with a percent sign', '5%25', '5%'],
    ['of characters that are no digits here', '%D9%A5', '٥'],
  ])('names nothing in either form: %s', async (_what, encoded, decoded) => {
    const refused = { code: 'pet_not_found', message: 'There is no pet with this id.' }
    expect(await refusalOf(() => petId(encoded))).toEqual(refused)
    expect(await refusalOf(() => petId(decoded))).toEqual(refused)
  })

  it.each(['9223372036854775808', 'abc', '1.0', '1e3', '01', ' 1', '', '%', '1%', '%zz', '%C3', '%ed%a0%80'])(
    'names nothing that could be found where it is no int64: %j',
    async (text) => {
      expect(await refusalOf(() => petId(text))).toEqual({
        code: 'pet_not_found',
        message: 'There is no pet with this id.',
      })
    },
  )
})

describe('the headers', () => {
  const headers = (...values: string[]) =>
    readInput(createPet, withHeader(withBody('{"name":"Bella","categoryId":1}'), 'idempotency-KEY', ...values)).headers

  it('contain only those of the operation, whatever their case', () => {
    expect(headers('abc')).toEqual({ 'Idempotency-Key': 'abc' })
    expect(headers('5')).toEqual({ 'Idempotency-Key': '5' })
    expect(headers()).toEqual({})
  })

  it.each([
    [[''], 'Idempotency-Key must be a string of 1 to 255 characters.'],
    [['a'.repeat(256)], 'Idempotency-Key must be a string of 1 to 255 characters.'],
    [['a', 'b'], 'Send Idempotency-Key once.'],
  ])('are refused with a message that names the header', async (values, message) => {
    expect(await refusalOf(() => headers(...values))).toEqual({ code: 'invalid_header', message })
  })
})

describe('the body', () => {
  it('has its defaults where a field was left out', () => {
    expect(body('{"name":"Bella","categoryId":1}')).toEqual({ name: 'Bella', categoryId: 1n, status: 'available' })
  })

  it.each([
    ['-0', 0n],
    ['1e3', 1_000n],
    ['9223372036854775807', 2n ** 63n - 1n],
  ])('accepts every int64, in every notation, as a category: %s', (text, value) => {
    expect(body(`{"name":"Bella","categoryId":${text}}`).categoryId).toBe(value)
  })

  it.each([
    ['one character', 'x'],
    ['255 characters', 'a'.repeat(255)],
    ['255 characters that are not of the basic plane', '🐕'.repeat(255)],
    ['white space around it', ' Bella '],
    ['letters of other scripts', 'Zoë 小白'],
    ['a line break', 'line\nbreak'],
  ])('takes the name as it was sent, with %s', (_what, name) => {
    expect(body(JSON.stringify({ name, categoryId: 1 })).name).toBe(name)
  })

  const categoryRule = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807.'
  const nameRule = 'name must be a string of 1 to 255 characters, not only spaces.'
  const statusRule = 'status must be one of available, pending, sold.'
  const pet = (fields: string) => `{"name":"Bella","categoryId":1,${fields}}`
  const named = (name: string) => `{"name":${JSON.stringify(name)},"categoryId":1}`
  const inCategory = (category: string) => `{"name":"Bella","categoryId":${category}}`
  const fields = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(createPet.fields.body)
  const refused = [
    ['{"name":"Bella"}', 'categoryId is required.'],
    ['{"categoryId":1}', 'name is required.'],
    ['[]', 'The body must be a JSON object.'],
    ['null', 'A body is required. Send a JSON object.'],
    [named(''), nameRule],
    [named(' \t\n '), nameRule],
    [named('a'.repeat(256)), nameRule],
    [named(' '.repeat(1_000_000)), nameRule],
    ['{"name":5,"categoryId":1}', nameRule],
    ['{"name":"half a pair \\ud83d","categoryId":1}', nameRule],
    [inCategory('"1"'), categoryRule],
    [inCategory('1.0000000000000000001'), categoryRule],
    [inCategory('9223372036854775808'), categoryRule],
    [inCategory('-9223372036854775809'), categoryRule],
    [inCategory('1e400'), categoryRule],
    [inCategory('null'), categoryRule],
    [pet('"status":"lost"'), statusRule],
    [pet('"id":5'), `id is not a field of the body. It has ${fields}.`],
    [pet('"Status":"sold"'), `Status is not a field of the body. It has ${fields}.`],
  ] as const
  it.each(refused.map(([text, message]) => [text.slice(0, 60), text, message]))(
    'is refused with a message that names the field: %s',
    async (_start, text, message) => {
      expect(await refusalOf(() => body(text))).toEqual({ code: 'invalid_body', message })
    },
  )
})
