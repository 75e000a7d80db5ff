import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GatewayPorts } from '../../../../infra/local/gateway/gateway.ts'
import { createGatewayServer } from '../../../../infra/local/gateway/server/server.ts'
import { createUsage } from '../../../../infra/local/gateway/meter.ts'
import type { FunctionHost } from '../../../../infra/local/lambda/function-host.ts'
import { drain, listen } from '../../../../infra/local/gateway/server/listen.ts'
import { method, resource, restApi, result } from './fixtures.ts'

const api = restApi({
  resources: [
    resource('/echo', { ANY: method('echo') }),
    resource('/fault', { GET: method('fault') }),
    resource('/slow', { GET: method('slow') }),
    resource('/empty', { GET: method('empty') }),
  ],
})

const events: object[] = []
const faults: unknown[] = []
const slow = Promise.withResolvers<void>()

const host: FunctionHost = {
  invoke: async (name, event) => {
    events.push(JSON.parse(event))
    if (name === 'fault') throw new Error('a fault of the gateway, with a secret')
    if (name === 'slow') await slow.promise
    if (name === 'empty') return result({ statusCode: 204 })
    return result({ statusCode: 200, headers: { 'X-Own': 'yes' }, multiValueHeaders: { Two: ['1', '2'] }, body: '[]' })
  },
  retire: () => {},
  close: async () => {},
}
const ports: GatewayPorts = {
  host,
  report: () => {},
  edgeKeys: { get: async () => undefined },
  usage: createUsage(Date.now),
}
const server = createGatewayServer({
  served: async () => ({ api, ports }),
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
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString()
  })
  socket.write(bytes)
  await once(socket, 'close')
  return answer
}

describe('An answer', () => {
  test('has the headers of API Gateway and of the function, and JSON as its type', async () => {
    const answer = await fetch(`${baseUrl}/v1/echo`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers.get('x-amz-apigw-id')).toMatch(/^\S{15,16}=$/)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('date')).toMatch(/GMT$/)
    expect([answer.headers.get('x-own'), answer.headers.get('two')]).toEqual(['yes', '1, 2'])
    expect(await answer.text()).toBe('[]')
  })

  test('to HEAD has no body', async () => {
    const answer = await fetch(`${baseUrl}/v1/echo`, { method: 'HEAD' })
    expect(answer.headers.get('content-length')).toBe('2')
    expect(await answer.text()).toBe('')
  })

  test('of 204 has neither body nor length', async () => {
    const answer = await fetch(`${baseUrl}/v1/empty`)
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([204, null, ''])
  })

  test('keeps the connection for the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const localPorts = await Promise.all(
      [1, 2].map(async () => {
        const sent = request(`${baseUrl}/v1/echo`, { agent }).end()
        const answers: IncomingMessage[] = await once(sent, 'response')
        const localPort = answers[0]?.socket.localPort
        answers[0]?.resume()
        return localPort
      }),
    )
    expect(localPorts[0]).toBe(localPorts[1])
    agent.destroy()
  })

  test('outside the stage says where the API is', async () => {
    const answer = await fetch(`${baseUrl}/echo`)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({
      code: 'route_not_found',
      message: expect.stringContaining('Every path begins with /v1.'),
      status: 404,
    })
  })

  test('to a fault of the gateway itself tells nothing of it', async () => {
    const answer = await fetch(`${baseUrl}/v1/fault`)
    expect(answer.status).toBe(500)
    expect(await answer.json()).toMatchObject({ code: 'internal_error', status: 500 })
    expect(String(faults.at(-1))).toContain('a fault of the gateway')
  })
})

describe('A request', () => {
  test('with a body of more than 10 MB is answered 413', async () => {
    const limit = 10 * 1024 * 1024
    const send = (length: number) => fetch(`${baseUrl}/v1/echo`, { method: 'POST', body: new Uint8Array(length) })
    const refused = await send(limit + 1)
    expect([refused.status, await refused.text()]).toEqual([413, 'HTTP content length exceeded 10485760 bytes.'])
  })

  test('may repeat a header in another case; its body is text', async () => {
    await fetch(`${baseUrl}/v1/echo`, { method: 'POST', body: 'Zoë' })
    expect(events.at(-1)).toMatchObject({ body: 'Zoë', isBase64Encoded: false })
    await sendRaw('GET /v1/echo HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nx-a: 2\r\nConnection: close\r\n\r\n')
    expect(events.at(-1)).toMatchObject({ headers: { 'X-A': '2' }, multiValueHeaders: { 'X-A': ['1', '2'] } })
  })

  test('may name the whole URL, as to a proxy', async () => {
    const answer = await sendRaw('GET http://a/v1/echo?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(answer).toContain('HTTP/1.1 200')
    expect(events.at(-1)).toMatchObject({ path: '/echo', queryStringParameters: { x: '1' } })
  })

  test.each([
    ['garbage', 'no http at all\r\n\r\n', 'could not be understood'],
    ['a space in a header name', 'GET /v1/echo HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n', 'could not be understood'],
    ['headers of more than 10 KB', `GET /v1/echo HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(11_000)}\r\n\r\n`, 'too large'],
  ])('that is %s gets a 400 with the error body', async (_name, bytes, message) => {
    const answer = await sendRaw(bytes)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('"code":"bad_request"')
    expect(answer).toContain(message)
  })

  test.each([
    ['without a host', 'GET /v1/echo HTTP/1.1\r\n\r\n', 'Send the header Host.'],
    [
      'that expects what there is not',
      'POST /v1/echo HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\nContent-Length: 4\r\n\r\nbody',
      'Leave the header Expect out',
    ],
    ['for a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\nbytes', 'This is no proxy'],
    ['for a tunnel, without a host', 'CONNECT example.org:443 HTTP/1.1\r\n\r\n', 'This is no proxy'],
    ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'could not be understood'],
  ])('%s gets a 400 with the error body and its headers, and no second answer', async (_name, bytes, message) => {
    const before = events.length
    const answer = await sendRaw(bytes)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
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

  test('that expects 100-continue is told to go on', async () => {
    const answer = await sendRaw(
      'POST /v1/echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  })

  test('for another protocol is answered as if it asked for none, as the last of its connection', async () => {
    const upgrade = 'Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
    const answer = await sendRaw(`POST /v1/echo HTTP/1.1\r\n${upgrade}Content-Length: 4\r\n\r\nbody`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toMatch(/^Connection: close\r?$/m)
    expect(events.at(-1)).toMatchObject({ body: 'body' })
  })

  test.each(['breaks', 'is left open'])('for a tunnel harms no server when its connection %s', async (how) => {
    const other = createGatewayServer({ served: async () => ({ api, ports }), clock: Date.now, reportFault: () => {} })
    if (how === 'breaks') other.once('connect', (_message, socket) => socket.destroy(new Error('read ECONNRESET')))
    const caller = connect({ port: await listen(other, 0), host: '127.0.0.1', allowHalfOpen: true })
    caller.write('CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(caller.resume(), 'end')
    await drain(other)
    caller.destroy()
  })

  test('whose caller goes away leaves the server as it was', async () => {
    const unfinished = connect(port, '127.0.0.1')
    unfinished.write('POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf')
    await once(unfinished, 'connect')
    const impatient = fetch(`${baseUrl}/v1/slow`, { signal: AbortSignal.timeout(50) })
    await expect(impatient).rejects.toThrow()
    unfinished.destroy()
    slow.resolve()
    const before = faults.length
    expect((await fetch(`${baseUrl}/v1/echo`)).status).toBe(200)
    expect(faults).toHaveLength(before)
  })
})
