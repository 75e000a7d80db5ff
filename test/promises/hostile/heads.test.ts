import { describe, expect, test } from 'vitest'
import { bella, expectRefused, hostileCaller, json } from './caller.ts'
import { type Header, send } from './connection.ts'

const { api, call, get } = hostileCaller()

describe('A path', () => {
  test.each(['/%2e%2e/pets', '/../v1/pets', '/./pets', '/pets%2F', '/pets;a=b', '/p%65ts', '/pets%3Flimit=1', '/%'])(
    'is taken as it stands, and %s is nothing',
    (path) => expectRefused(get(path), 404, 'route_not_found', 'There is nothing at this path.'),
  )

  test.each(['/pets?%zz=1', '/pets?limit=%ff'])(
    'whose query has a percent-encoding that means no characters is refused: %s',
    (path) => expectRefused(get(path), 400, 'bad_request', 'could not be understood'),
  )

  test.each(['//pets', '/pets/', '///pets//'])('may have slashes before and after it: %s', async (path) => {
    const response = await get(path, ['X-Forwarded-Proto', 'http'])
    expect(response.status).toBe(200)
  })
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
