import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { checkBehaviour, type Expected } from '../../../../../infra/operations/smoke/behaviour.ts'

const server = createServer((_request, response) =>
  response.writeHead(401, { 'WWW-Authenticate': 'Basic' }).end('{"code":"unauthorized"}'),
).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => server.close())
const address = server.address()
const baseUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`

const check = (expected: Expected, url = baseUrl) =>
  checkBehaviour({ baseUrl: url, apiKey: 'a', spentKey: 'b' }, { behaviour: 'x', request: 'GET /pets', expected })

it.each<[Expected, string]>([
  [{ status: '200' }, 'status: 401'],
  [{ status: '401', code: 'api_key_banned' }, 'status: 401, code: unauthorized'],
  [{ status: '401', 'WWW-Authenticate': 'Bearer' }, 'status: 401, WWW-Authenticate: Basic'],
  [{ status: '401', 'Retry-After': /\d/ }, 'status: 401, Retry-After: none'],
])('a response is not as expected where one value differs: %j', async (expected, came) => {
  expect(await check(expected)).toMatchObject({ came, isAsExpected: false })
})

it('where no response comes, the finding says why', async () => {
  const finding = await check({ status: '401' }, 'http://127.0.0.1:1')
  expect(finding).toMatchObject({ came: expect.stringMatching(/^status: none \(.*fetch failed/), isAsExpected: false })
})
