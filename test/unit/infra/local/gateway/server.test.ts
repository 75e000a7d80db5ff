import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openGateway } from '../../../../../infra/local/gateway/server.ts'
import type { FunctionInvoker } from '../../../../../infra/local/lambda/function-host.ts'
import type { RestApi } from '../../../../../infra/local/template/rest-api.ts'

/** An API whose methods have one function each. Only GET and POST of `/x` are served. */
const api: RestApi = {
  id: 'api',
  stageName: 'v1',
  methods: ['GET', 'POST'].map((httpMethod) => ({
    httpMethod,
    path: '/x',
    authorizer: undefined,
    apiKeyRequired: false,
    integration: 'echo',
  })),
  gatewayResponses: new Map([
    ['MISSING_AUTHENTICATION_TOKEN', { status: 404, headers: {}, body: 'MISSING_AUTHENTICATION_TOKEN' }],
    ['REQUEST_TOO_LARGE', { status: 413, headers: {}, body: 'REQUEST_TOO_LARGE' }],
  ]),
}

/** Lines that the gateway has written in a test. */
let lines: string[] = []
/** Headers that the function responds with. */
let functionHeaders: Readonly<Record<string, string>> = {}
/** Number of requests that have reached the function. */
let invocations = 0
beforeEach(() => {
  lines = []
  functionHeaders = {}
  invocations = 0
})

const functions: FunctionInvoker = {
  invoke: async (_name, event) => {
    invocations += 1
    const { requestContext, queryStringParameters, body } = JSON.parse(event)
    const echo = { requestContext, queryStringParameters, length: body?.length }
    return { kind: 'result', payload: JSON.stringify({ headers: functionHeaders, body: JSON.stringify(echo) }) }
  },
  report: (name, problem) => lines.push(`[${name}] ${problem}`),
}

const gateway = await openGateway(0, (line) => lines.push(line))
gateway.serve({ api, functions })
afterAll(() => gateway.close())

/** Sends a request, with its target as it is. */
const send = async (method: string, target: string, body = '', agent?: Agent) => {
  const outgoing = request({ port: gateway.port, method, path: target, agent }).end(body)
  const [response]: IncomingMessage[] = await once(outgoing, 'response')
  if (response === undefined) throw new Error('A response is a message.')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

test('The request ids of a response are those of the event', async () => {
  const { headers, body } = await send('GET', '/v1/x')

  expect(headers['x-amzn-requestid']).toMatch(/^[0-9a-f-]{36}$/)
  expect(JSON.parse(body).requestContext).toMatchObject({
    requestId: headers['x-amzn-requestid'],
    extendedRequestId: headers['x-amz-apigw-id'],
  })
})

test('The target of a request may be a whole URL, as a client of a proxy sends it', async () => {
  const { body } = await send('GET', 'http://other.example/v1/x?a=1')

  expect(JSON.parse(body)).toMatchObject({ queryStringParameters: { a: '1' } })
})

// Clients keep an idle connection for less, so the server never closes one on which a request is under way.
test('The server keeps an idle connection for 65 seconds', async () => {
  const { headers } = await send('GET', '/v1/x')

  expect(headers['keep-alive']).toBe('timeout=65')
})

test('The response to a header value that HTTP does not allow is 500, and the log says why', async () => {
  functionHeaders = { a: 'line\nbreak' }

  expect(await send('GET', '/v1/x')).toMatchObject({ status: 500 })

  expect(lines.join()).toMatch(/^\[gateway\] TypeError/)
})

test('A body of 10 MB reaches the function', async () => {
  const longestBytes = 10 * 1024 * 1024

  const { body } = await send('POST', '/v1/x', 'a'.repeat(longestBytes))

  expect(JSON.parse(body)).toMatchObject({ length: longestBytes })
})

test('A body of more than 10 MB is refused, and its connection serves the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const tooLong = 'a'.repeat(10 * 1024 * 1024 + 1)

  expect(await send('POST', '/v1/x', tooLong, agent)).toMatchObject({ status: 413, body: 'REQUEST_TOO_LARGE' })
  expect(await send('GET', '/v1/x', '', agent)).toMatchObject({ status: 200 })
  agent.destroy()
})

test('A request that is refused without its body gets its response before the body has been sent', async () => {
  const outgoing = request({ port: gateway.port, method: 'POST', path: '/v1/unknown' })
  outgoing.write('a')

  const [response]: IncomingMessage[] = await once(outgoing, 'response')
  outgoing.end()

  expect(response?.statusCode).toBe(404)
})

describe('A client that closes while it sends', () => {
  /** Sends half a body, and then ends the connection. Resolves when the connection is closed. */
  const sendHalf = async (end: 'destroy' | 'end' | 'resetAndDestroy'): Promise<void> => {
    const socket = connect(gateway.port, '127.0.0.1')
    const closed = once(socket, 'close')
    socket.resume().write('POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nhalf', () => socket[end]())
    await closed
  }

  test.each(['destroy', 'end', 'resetAndDestroy'] as const)(
    'A client that closes while it sends, by %s, leaves no line in the log',
    async (end) => {
      await sendHalf(end)
      // The server handles the end of that connection before a later request.
      await send('GET', '/v1/x')

      expect(lines).toEqual([])
      expect(invocations).toBe(1)
    },
  )
})
