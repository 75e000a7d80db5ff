import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Served } from '../../../../../infra/local/gateway/gateway.ts'
import { createUsage } from '../../../../../infra/local/gateway/meter.ts'
import { drain, listen } from '../../../../../infra/local/gateway/server/listen.ts'
import { createGatewayServer } from '../../../../../infra/local/gateway/server/server.ts'
import type { FunctionInvoker } from '../../../../../infra/local/lambda/function-host.ts'
import { method, resource, restApi, result } from '../fixtures.ts'

const api = restApi({
  resources: [
    resource('/echo', { ANY: method('echo') }),
    resource('/fault', { GET: method('fault') }),
    resource('/empty', { GET: method('empty') }),
  ],
})

const events: object[] = []
const faults: unknown[] = []

const functions: FunctionInvoker = {
  invoke: async (name, event) => {
    events.push(JSON.parse(event))
    if (name === 'fault') throw new Error('a fault of the gateway, with a secret')
    if (name === 'empty') return result({ statusCode: 204 })
    return result({ statusCode: 200, headers: { 'X-Own': 'yes' }, multiValueHeaders: { Two: ['1', '2'] }, body: '[]' })
  },
  report: () => {},
}
const served: Served = {
  api,
  functions,
  usageMeter: { edgeKeys: { get: async () => undefined }, usage: createUsage(Date.now) },
}
const server = createGatewayServer({
  served: async () => served,
  clock: Date.now,
  reportFault: (error) => faults.push(error),
})
let port = 0
let baseUrl = ''
beforeAll(async () => {
  port = await listen(server, 0)
  baseUrl = `http://127.0.0.1:${port}`
})
afterAll(() => drain(server))

/** Sends bytes as they are, and gives all that comes back until the server closes the connection. */
const sendRaw = async (bytes: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  let response = ''
  socket.on('data', (chunk) => {
    response += chunk.toString()
  })
  socket.write(bytes)
  await once(socket, 'close')
  return response
}

describe('A response', () => {
  test('has the headers of API Gateway and of the function, and JSON as its type', async () => {
    const response = await fetch(`${baseUrl}/v1/echo`)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.headers.get('x-amz-apigw-id')).toMatch(/^\S{15,16}=$/)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('date')).toMatch(/GMT$/)
    expect([response.headers.get('x-own'), response.headers.get('two')]).toEqual(['yes', '1, 2'])
    expect(await response.text()).toBe('[]')
  })

  test('of 204 has neither body nor length', async () => {
    const response = await fetch(`${baseUrl}/v1/empty`)
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([204, null, ''])
  })

  test('to a fault of the gateway itself is 500 without its message', async () => {
    const response = await fetch(`${baseUrl}/v1/fault`)
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ code: 'internal_error', status: 500 })
    expect(String(faults.at(-1))).toContain('a fault of the gateway')
  })
})

describe('A request', () => {
  test('may repeat a header in another case; its body is text', async () => {
    await fetch(`${baseUrl}/v1/echo`, { method: 'POST', body: 'Zoë' })
    expect(events.at(-1)).toMatchObject({ body: 'Zoë', isBase64Encoded: false })
    await sendRaw('GET /v1/echo HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nx-a: 2\r\nConnection: close\r\n\r\n')
    expect(events.at(-1)).toMatchObject({ headers: { 'X-A': '2' }, multiValueHeaders: { 'X-A': ['1', '2'] } })
  })

  test('may name the whole URL, as to a proxy', async () => {
    const response = await sendRaw('GET http://a/v1/echo?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(response).toContain('HTTP/1.1 200')
    expect(events.at(-1)).toMatchObject({ path: '/echo', queryStringParameters: { x: '1' } })
  })

  test.each([
    ['without a host', 'GET /v1/echo HTTP/1.1\r\n\r\n', 'Send the header Host.'],
    [
      'that expects something unknown',
      'POST /v1/echo HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\nContent-Length: 4\r\n\r\nbody',
      'Leave the header Expect out',
    ],
    ['for a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\nbytes', 'This is not a proxy'],
    ['for a tunnel, without a host', 'CONNECT example.org:443 HTTP/1.1\r\n\r\n', 'This is not a proxy'],
    ['of no HTTP', 'no http at all\r\n\r\n', 'could not be understood'],
    ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'could not be understood'],
  ])('%s gets a 400 with the error body and its headers, and nothing after it', async (_name, bytes, message) => {
    const before = events.length
    const response = await sendRaw(bytes)
    const [head = '', body = ''] = response.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    for (const header of ['Content-Type: application/json', 'Access-Control-Allow-Origin: *', 'X-RateLimit-Limit: 0']) {
      expect(head).toContain(header)
    }
    expect(head).toMatch(/^Connection: close\r?$/m)
    expect(JSON.parse(body)).toEqual({ code: 'bad_request', message: expect.stringContaining(message), status: 400 })
    expect(events).toHaveLength(before)
  })

  test('of HTTP/1.0 needs no host', async () => {
    expect(await sendRaw('GET /v1/echo HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('that expects 100-continue gets it', async () => {
    const response = await sendRaw(
      'POST /v1/echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody',
    )
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  })

  test('for another protocol gets the usual response, as the last of its connection', async () => {
    const upgrade = 'Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
    const response = await sendRaw(`POST /v1/echo HTTP/1.1\r\n${upgrade}Content-Length: 4\r\n\r\nbody`)
    expect(response).toMatch(/^HTTP\/1\.1 200 /)
    expect(response).toMatch(/^Connection: close\r?$/m)
    expect(events.at(-1)).toMatchObject({ body: 'body' })
  })

  test.each(['breaks', 'is left open'])(
    'for a tunnel does not keep the server from stopping when its connection %s',
    async (how) => {
      const other = createGatewayServer({ served: async () => served, clock: Date.now, reportFault: () => {} })
      if (how === 'breaks') other.once('connect', (_message, socket) => socket.destroy(new Error('read ECONNRESET')))
      const caller = connect({ port: await listen(other, 0), host: '127.0.0.1', allowHalfOpen: true })
      caller.write('CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n')
      await once(caller.resume(), 'end')
      await drain(other)
      caller.destroy()
    },
  )
})
