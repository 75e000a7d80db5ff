import { describe, expect, it } from 'vitest'
import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import type { GatewayEvent } from '../../../../shared/http/gateway-event.ts'
import { maximumBodyBytes } from '../../../../shared/http/json-body.ts'
import { operation } from '../../../../shared/http/operation.ts'
import { created } from '../../../../shared/http/response.ts'
import { gatewayEvent, lambdaContext, withHeader } from '../../../events/events.ts'

/** An operation that responds with the body of `createPet`, under an id. */
const echo = operation(contract, async ({ body }) => created({ id: 0n, ...body }))

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
    'application/json ; charset="utf8"',
    'application/json; charset=us-ascii; profile=charset=latin1',
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

  it.each([
    [[]],
    [['text/plain']],
    [['application/jsonp']],
    [['x-application/json']],
    [['']],
    [['application/json', 'application/json']],
    [['application/json; charset=latin1']],
    [['application/json; charset=utf-8859']],
  ])('is refused with 415 where its type is %j', async (types) => {
    expect(await post(bella, typed(...types))).toMatchObject({
      status: 415,
      json: { code: 'unsupported_media_type', status: 415 },
    })
  })

  it('is refused for its type before its content', async () => {
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
    ['a comma too many', '{"name":"Bella","categoryId":1,}', 'malformed_json', 'The body is not valid JSON.'],
    ['white space', '  ', 'malformed_json', 'The body is not valid JSON.'],
    [
      'a field twice',
      '{"name":"Bella","name":"Milo","categoryId":1}',
      'invalid_body',
      'The body has a field twice. Send each field once.',
    ],
  ])('is refused as %s', async (_what, text, code, message) => {
    expect(await post(text)).toEqual({ status: 400, json: { code, message, status: 400 } })
  })

  it.each([
    '{"__proto__":{"status":"sold"},"name":"Bella","categoryId":1}',
    '{"name":"Bella","categoryId":1,"constructor":{"prototype":{}}}',
  ])('is refused with a key that could change other objects: %s', async (text) => {
    const message = 'The body has a key that is not allowed.'
    expect(await post(text)).toMatchObject({ status: 400, json: { code: 'invalid_body', message } })
  })

  it.each([
    ['arrays', '['.repeat(8_000) + ']'.repeat(8_000)],
    ['arrays in a field', `{"name":${'['.repeat(8_000)}${']'.repeat(8_000)},"categoryId":1}`],
    ['objects', `${'{"a":'.repeat(2_500)}1${'}'.repeat(2_500)}`],
    ['members', `{"name":"Bella","categoryId":1${',"x":1'.repeat(100)}}`],
    ['numbers', `{"name":[1${',1'.repeat(100)}],"categoryId":1}`],
    ['arrays without end', '['.repeat(8_000)],
  ])('is refused for its many values before it is parsed: %s', async (_what, text) => {
    const message = 'The body has more than 100 values. Send only the fields that the operation takes.'
    expect(await post(text)).toEqual({ status: 400, json: { code: 'invalid_body', message, status: 400 } })
  })

  it('is read with as many commas and brackets as a name has room for', async () => {
    const name = '[{,\\"'.repeat(51)
    expect(await post(JSON.stringify({ name, categoryId: 1 }))).toMatchObject({ status: 201, json: { name } })
  })
})

describe('a body of 16 KB', () => {
  const room = maximumBodyBytes - Buffer.byteLength('{"name":"Zoë","categoryId":1}')
  const padded = (bytes: number) => `{"name":"Zoë",${' '.repeat(bytes)}"categoryId":1}`
  const encoded = (event: GatewayEvent): GatewayEvent => ({
    ...event,
    body: Buffer.from(event.body ?? '').toString('base64'),
    isBase64Encoded: true,
  })
  const asSent = (event: GatewayEvent): GatewayEvent => event
  const tooLarge = {
    status: 413,
    json: {
      code: 'request_too_large',
      message: 'The request is too large. Send a body of at most 16 KB (16,384 bytes).',
      status: 413,
    },
  }

  it.each([
    ['as text', asSent],
    ['as base64', encoded],
  ])('is the longest that is read, %s', async (_how, change) => {
    expect((await post(padded(room), change)).status).toBe(201)
    expect(await post(padded(room + 1), change)).toEqual(tooLarge)
  })

  it('is measured in bytes, not in characters', async () => {
    const text = `{"name":"${'é'.repeat(maximumBodyBytes / 2)}","categoryId":1}`
    expect(text.length).toBeLessThan(maximumBodyBytes)
    expect(await post(text)).toEqual(tooLarge)
  })

  it('is checked before the type of the body and its syntax', async () => {
    expect(await post('x'.repeat(maximumBodyBytes + 1), typed('text/plain'))).toEqual(tooLarge)
  })
})
