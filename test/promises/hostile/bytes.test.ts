import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { checkResponse } from '../../fixtures/check-response.ts'
import { localApi } from '../../unit/infra/local/local-api.ts'

const api = localApi()

const bella = '{"name":"Bella","categoryId":1}'

/** Sends a request with the key, and checks the response against the contract. */
const call = async (target: string, request: RequestInit = {}) => {
  const { baseUrl, apiKey } = api()
  const headers = new Headers(request.headers)
  headers.set('Authorization', `Bearer ${apiKey}`)
  if (request.body !== undefined) headers.set('Content-Type', 'application/json')
  const response = await fetch(baseUrl + target, { ...request, headers })
  const seen = { status: response.status, headers: response.headers, text: await response.text() }
  expect(checkResponse(request.method ?? 'GET', target.replace(/\?.*/, ''), seen)).toEqual([])
  return seen
}

const post = async (body: string | Uint8Array<ArrayBuffer>) => {
  const { status, text } = await call('/pets', { method: 'POST', body })
  return { status, json: JSON.parse(text) }
}

const newest = async () => (await call('/pets?limit=1')).text

afterAll(() => expect(api().lines).toEqual([]))

it.each([
  ['an escaped name of the prototype', '{"__pro\\u0074o__":{"status":"sold"},"name":"Bella","categoryId":1}'],
  ['a field that every object has', '{"hasOwnProperty":1,"name":"Bella","categoryId":1}'],
  ['a field twice, once escaped', '{"name":"Bella","n\\u0061me":"Bella","categoryId":1}'],
  ['an unknown field of 16,000 characters', `{"${'a'.repeat(16_000)}":1}`],
  ['a number of 16,000 digits', `{"name":"Bella","categoryId":${'9'.repeat(16_000)}}`],
  ['a byte order mark', `\ufeff${bella}`, 'malformed_json'],
  ['an unescaped NUL', '{"name":"a\0b","categoryId":1}', 'malformed_json'],
  ['compression', Uint8Array.from(gzipSync(bella)), 'malformed_json'],
  ['UTF-16', Uint8Array.from(Buffer.from(bella, 'utf16le')), 'malformed_json'],
])('a body with %s is refused in a short message, and adds no pet', async (_what, body, code = 'invalid_body') => {
  const before = await newest()
  const { status, json } = await post(body)
  expect([status, json.code]).toEqual([400, code])
  expect(json.message.length).toBeLessThan(300)
  expect(await newest()).toBe(before)
})

it('a body of 16 KB is read, and one of a byte more is refused', async () => {
  const padded = (bytes: number) => bella + ' '.repeat(bytes - bella.length)
  expect((await post(padded(16_384))).status).toBe(201)
  const { status, json } = await post(padded(16_385))
  expect([status, json.message]).toEqual([413, expect.stringContaining('16 KB (16,384 bytes)')])
})

it.each([
  ['half a surrogate pair', '{"\\ud800":1,"name":"Bella","categoryId":1}'],
  ['a pair where the message cuts it', `{"${'x'.repeat(63)}🐕y":1,"name":"Bella","categoryId":1}`],
])('a body that has a field with %s is refused in well-formed text', async (_what, body) => {
  const { message } = (await post(body)).json
  expect(message).toContain('\ufffd')
  expect(message.isWellFormed()).toBe(true)
})

it('bytes that are no UTF-8 become replacement characters, as API Gateway makes them', async () => {
  const bytes = [...Buffer.from('{"name":"'), 0xff, 0x41, 0xc0, 0xaf, ...Buffer.from('","categoryId":1}')]
  const { status, json } = await post(Uint8Array.from(bytes))
  expect([status, json.name]).toEqual([201, '\ufffdA\ufffd\ufffd'])
})

it('a header whose name has a meaning in JavaScript changes nothing', async () => {
  const headers: [string, string][] = ['__proto__', 'constructor'].map((name) => [name, 'x'])
  expect((await call('/pets?limit=1', { headers })).status).toBe(200)
})

it('characters beyond ASCII, and tabs, are an Idempotency-Key like others', async () => {
  const create = () => call('/pets', { method: 'POST', body: bella, headers: { 'Idempotency-Key': '\u00e9\t\u00ff' } })
  const [first, second] = [await create(), await create()]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.text).toBe(first.text)
  expect(second.headers.get('Idempotency-Replayed')).toBe('true')
})

it.each(['/pets%2F', '/pets;a=b', '/p%65ts', '/pets%3Flimit=1'])('the path %s is nothing', async (path) => {
  expect((await call(path)).status).toBe(404)
})

const injection = '%0d%0aX-Injected:%20yes%0d%0a%0d%0a'

it.each<[place: string, target: string, request?: RequestInit]>([
  ['a parameter that is echoed in a message', `/pets?a${injection}=1`],
  ['a cursor', `/pets?limit=1&cursor=${injection}`],
  ['an id', `/pets/1${injection}`],
  ['a path that gets 405', `/pets/${injection}`, { method: 'DELETE' }],
  ['a preflight', '/pets', { method: 'OPTIONS', headers: { Origin: 'x%0d%0a' } }],
  ['a trace id', '/pets?limit=1', { headers: { 'X-Amzn-Trace-Id': injection } }],
  [
    'the address of the next page',
    '/pets?limit=1',
    { headers: { 'X-Forwarded-Proto': 'javascript', 'X-Forwarded-Host': 'evil.example' } },
  ],
])('nothing adds a header to a response by way of %s', async (_place, target, request) => {
  await post(bella)
  await post(bella)
  const { headers } = await call(target, request)
  expect(headers.has('X-Injected')).toBe(false)
  expect(headers.get('Link') ?? '').not.toMatch(/javascript|evil/)
})
