import { describe, expect, it } from 'vitest'
import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import { created } from '../../../../shared/http/answer.ts'
import type { GatewayEvent } from '../../../../shared/http/gateway-event.ts'
import { operation } from '../../../../shared/http/operation.ts'
import { gatewayEvent, lambdaContext, withHeader } from '../../../events/events.ts'

/** An operation that takes the body of `createPet` and answers it. */
const echo = operation(contract, async ({ body }) => created(body))

const post = async (body: string | null, change: (event: GatewayEvent) => GatewayEvent = (event) => event) => {
  const { statusCode, body: text } = await echo(change(gatewayEvent('create-pet', { body })), lambdaContext)
  return { status: statusCode, json: JSON.parse(text) }
}

const typed =
  (...types: string[]) =>
  (event: GatewayEvent) =>
    withHeader(event, 'Content-Type', ...types)

const bella = '{"name":"Bella","categoryId":1}'

describe('the body of a request', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/vnd.api+json',
  ])('is read as JSON where its type is %s', async (type) => {
    expect((await post(bella, typed(type))).status).toBe(201)
  })

  it.each(['content-type', 'Content-type', 'CONTENT-TYPE'])(
    'is read whatever the case of the header: %s',
    async (name) => {
      const renamed = (event: GatewayEvent) => withHeader(withHeader(event, 'Content-Type'), name, 'application/json')
      expect((await post(bella, renamed)).status).toBe(201)
    },
  )

  it.each([[[]], [['text/plain']], [['application/x-www-form-urlencoded']], [['application/jsonp']], [['']]])(
    'is refused with 415 where its type is %j',
    async (types) => {
      expect(await post(bella, typed(...types))).toMatchObject({
        status: 415,
        json: { code: 'unsupported_media_type', status: 415 },
      })
    },
  )

  it('is refused for its type first, whatever it holds', async () => {
    expect((await post('{not json', typed('text/plain'))).status).toBe(415)
    expect((await post(null, typed('text/plain'))).status).toBe(415)
  })

  it('is decoded where API Gateway sent it as base64', async () => {
    const encoded = Buffer.from('{"name":"Zoë","categoryId":9223372036854775807}').toString('base64')
    const { status, json } = await post(encoded, (event) => ({ ...event, isBase64Encoded: true }))
    expect({ status, name: json.name }).toEqual({ status: 201, name: 'Zoë' })
  })

  it.each([
    ['nothing', null, 'invalid_body', 'A body is required. Send a JSON object.'],
    ['no text', '', 'invalid_body', 'A body is required. Send a JSON object.'],
    ['null', 'null', 'invalid_body', 'A body is required. Send a JSON object.'],
    ['an array', '[]', 'invalid_body', 'The body must be a JSON object.'],
    ['a bare word', 'bella', 'malformed_json', 'The body is not valid JSON.'],
    ['half an object', '{"name":"Bella"', 'malformed_json', 'The body is not valid JSON.'],
    ['a comma too many', '{"name":"Bella","categoryId":1,}', 'malformed_json', 'The body is not valid JSON.'],
    ['two objects', `${bella}${bella}`, 'malformed_json', 'The body is not valid JSON.'],
    ['a leading zero', '{"name":"Bella","categoryId":01}', 'malformed_json', 'The body is not valid JSON.'],
    ['white space', '  ', 'malformed_json', 'The body is not valid JSON.'],
  ])('is refused as %s', async (_what, text, code, message) => {
    expect(await post(text)).toEqual({ status: 400, json: { code, message, status: 400 } })
  })

  it.each([
    '{"__proto__":{"status":"sold"},"name":"Bella","categoryId":1}',
    '{"name":"Bella","categoryId":1,"constructor":{"prototype":{}}}',
  ])('is refused with a key that could change other objects: %s', async (text) => {
    expect(await post(text)).toMatchObject({ status: 400, json: { code: 'invalid_body' } })
  })

  it.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['arrays in a field', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)},"categoryId":1}`],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    [
      'objects in an unknown field',
      `{"name":"Bella","categoryId":1,"x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`,
    ],
  ])('is refused, not fatal, where it nests 100,000 deep: %s', async (_what, text) => {
    expect(await post(text)).toMatchObject({ status: 400, json: { code: 'invalid_body', status: 400 } })
  })
})
