import { describe, expect, test } from 'vitest'
import { bella, expectRefused, hostileCaller, json } from './caller.ts'
import { type Header, send, sendRaw } from './connection.ts'

const { api, call, get, post, newest } = hostileCaller()

describe('A path', () => {
  test.each([
    ...['007', '+5', '%2B5', '1.0', '1e3', '0x1', '%00', '5%00', '%20', '%E2%82%AC', '%D9%A5', '5%2F6', '..%2F5', '-0'],
    ...['__proto__', '%3Cscript%3E'],
  ])('to the pet %s finds none: an id has one spelling', (id) =>
    expectRefused(get(`/pets/${id}`), 404, 'pet_not_found', 'There is no pet with this id.'),
  )

  test.each([
    '/%2e%2e/pets',
    '/../v1/pets',
    '/./pets',
    '/pets%2f5',
    '/pets%2F',
    '/%2Fpets',
    '/pets;a=b',
    '/pets%00',
    '/PETS',
    '/p%65ts',
    '/pets%3Flimit=1',
    '/%',
    '/pets%',
    '/pets/1/..',
  ])('is taken as it stands, and %s is nothing', (path) =>
    expectRefused(get(path), 404, 'route_not_found', 'There is nothing at this path.'),
  )

  test.each(['/pets/%', '/pets/%zz', '/pets/%c0%af', '/pets/%ed%a0%80'])(
    'whose percent-encoding means no characters names no pet: %s',
    (path) => expectRefused(get(path), 404, 'pet_not_found', 'There is no pet with this id.'),
  )

  test.each(['/pets?%zz=1', '/pets?limit=%ff'])(
    'whose query has a percent-encoding that means no characters is refused: %s',
    (path) => expectRefused(get(path), 400, 'bad_request', 'could not be understood'),
  )

  test.each(['//pets', '/pets/', '///pets//'])('may have slashes before and after it: %s', async (path) => {
    const response = await get(path, ['X-Forwarded-Proto', 'http'])
    expect(response.status).toBe(200)
  })

  test.each([
    ['begins with two slashes', '//v1/pets', 'a;b'],
    ['is on a host that is none', '/v1/pets', 'a>; rel="evil", <b'],
  ])('that %s has a next page of this API, without a host', async (_what, path, host) => {
    const { port, apiKey } = api()
    const head = `GET ${path}?limit=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close`
    const [response] = await sendRaw(port, `${head}\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`)
    expect(response?.head).toMatch(/^Link: <\/v1\/pets\?[\w=&]+>; rel="next"\r?$/im)
  })

  test('names a pet by its id, percent-encoded or not', async () => {
    const { json: pet } = await post(bella)
    const id = String(pet['id'])
    for (const path of [`/pets/${id}`, `/pets/%3${id}`, `//pets/${id}/`]) {
      expect((await get(path)).json).toEqual(pet)
    }
    await expectRefused(get(`/pets/%253${id}`), 404, 'pet_not_found', 'There is no pet with this id.')
  })
})

describe('A header that is there twice', () => {
  test('is no API key', async () => {
    const second: Header = ['Authorization', `Bearer ${api().apiKey}`]
    await expectRefused(get('/pets', second), 401, 'unauthorized', 'Send a valid API key')
  })

  test('is no Idempotency-Key, and adds nothing', async () => {
    const before = await newest()
    const twice = post(bella, json, ['Idempotency-Key', 'a'], ['idempotency-key', 'a'])
    await expectRefused(twice, 400, 'invalid_header', 'Send Idempotency-Key once.')
    expect(await newest()).toEqual(before)
  })

  test('is no Content-Type', () =>
    expectRefused(
      post(bella, json, ['content-type', 'text/plain']),
      415,
      'unsupported_media_type',
      'Send the body as JSON',
    ))
})

describe('Bytes that only a connection can carry', () => {
  const create = (idempotencyKey: string) =>
    call({ method: 'POST', target: '/pets', headers: [json, ['Idempotency-Key', idempotencyKey]], body: bella })

  test.each([
    ['a control', 'a\u0001b'],
    ['a NUL', 'a\0b'],
    ['a carriage return', 'a\rb'],
    ['a delete', 'a\u007fb'],
  ])('end a request whose header has %s', async (_what, value) => {
    const response = await create(value)
    expect([response.status, JSON.parse(response.text).code]).toEqual([400, 'bad_request'])
  })

  test('beyond ASCII, and tabs, are an Idempotency-Key like others', async () => {
    const [first, second] = [await create('\u00e9\t\u00ff'), await create('\u00e9\t\u00ff')]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.text).toBe(first.text)
    expect(second.headers.get('Idempotency-Replayed')).toBe('true')
  })

  test('beyond ASCII are no path, and no key', async () => {
    const headers = [['Authorization', 'Bearer \u00e9']] as const
    expect((await call({ method: 'GET', target: '/pets/\u00e9', headers: [] })).status).toBe(400)
    expect((await send(api().port, { method: 'GET', target: '/pets', headers })).status).toBe(401)
  })

  const injection = '%0d%0aX-Injected:%20yes%0d%0a%0d%0a'

  test.each<[place: string, target: string, method?: string, ...headers: Header[]]>([
    ['a parameter that is echoed in a message', `/pets?a${injection}=1`],
    ['a cursor', `/pets?limit=1&cursor=${injection}`],
    ['a status', `/pets?status=sold${injection}`],
    ['an id', `/pets/1${injection}`],
    ['a path that gets 405', `/pets/${injection}`, 'DELETE'],
    ['a preflight', '/pets', 'OPTIONS', ['Origin', 'x%0d%0a'], ['Access-Control-Request-Headers', 'X-Injected']],
    ['a trace id', '/pets?limit=1', 'GET', ['X-Amzn-Trace-Id', injection]],
    [
      'the scheme and the host of the next page',
      '/pets?limit=1',
      'GET',
      ['X-Forwarded-Proto', 'javascript'],
      ['X-Forwarded-Host', 'evil.example'],
    ],
  ])('add no header to a response by way of %s', async (_place, target, method = 'GET', ...headers) => {
    const { status, head } = await call({ method, target, headers })
    expect([200, 204, 400, 404, 405]).toContain(status)
    expect(head).not.toMatch(/^x-injected/im)
    expect(head).not.toMatch(/^link: (?!<(http:\/\/127\.0\.0\.1)?\/v1\/pets)/im)
    expect(head).not.toMatch(/javascript|evil/)
  })
})

describe('A text that is very long', () => {
  test.each([
    ['a cursor', `/pets?cursor=${'a'.repeat(8_000)}`, 'invalid_parameter'],
    ['a status', `/pets?status=${'a'.repeat(8_000)}`, 'invalid_parameter'],
    ['the name of a parameter', `/pets?${'a'.repeat(8_000)}=1`, 'invalid_parameter'],
    ['a limit', `/pets?limit=${'1'.repeat(8_000)}`, 'invalid_parameter'],
    ['a thousand parameters', `/pets?${'a=1&'.repeat(1_000)}`, 'invalid_parameter'],
  ])('is refused shortly as %s', async (_what, path, code) => {
    const response = await get(path)
    expect([response.status, response.json['code']]).toEqual([400, code])
    expect(String(response.json['message']).length).toBeLessThan(300)
  })

  test('is no id, and no key', async () => {
    expect((await get(`/pets/${'1'.repeat(8_000)}`)).status).toBe(404)
    const headers = [['Authorization', `Bearer ${'a'.repeat(8_000)}`]] as const
    expect((await send(api().port, { method: 'GET', target: '/pets', headers })).status).toBe(401)
  })
})
