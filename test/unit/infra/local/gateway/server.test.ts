import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openGateway } from '../../../../../infra/local/gateway/server.ts'
import type { FunctionInvoker } from '../../../../../infra/local/lambda/function-host.ts'
import type { ApiMethod, RestApi } from '../../../../../infra/local/template/rest-api.ts'

/** Creates GET or POST of a path, which the function `echo` serves. */
const createMethod = (httpMethod: string, path: string, authorizer?: string): ApiMethod => ({
  httpMethod,
  path,
  authorizer,
  apiKeyRequired: false,
  integration: 'echo',
})

/** An API with two paths, of which one has an authorizer. */
const api: RestApi = {
  id: 'api',
  stageName: 'v1',
  methods: ['GET', 'POST'].flatMap((httpMethod) => [
    createMethod(httpMethod, '/x'),
    createMethod(httpMethod, '/authorized', 'authorizer'),
  ]),
  gatewayResponses: new Map([
    ['MISSING_AUTHENTICATION_TOKEN', { status: 404, headers: {}, body: 'MISSING_AUTHENTICATION_TOKEN' }],
    ['REQUEST_TOO_LARGE', { status: 413, headers: {}, body: 'REQUEST_TOO_LARGE' }],
  ]),
}

/** Lines that the gateway has written in a test. */
let lines: string[] = []
/** Headers that the function responds with. */
let functionHeaders: Readonly<Record<string, string>> = {}
/** Number of requests that have reached the function `echo`. */
let invocations = 0
beforeEach(() => {
  lines = []
  functionHeaders = {}
  invocations = 0
})

/** Allows every request after 20 ms, so that the server has first handled a caller who closes the connection. */
const authorizeLater = async (): Promise<string> => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  return JSON.stringify({ policyDocument: { Statement: [{ Effect: 'Allow', Resource: '*' }] } })
}

const functions: FunctionInvoker = {
  invoke: async (name, event) => {
    if (name === 'authorizer') return { kind: 'result', payload: await authorizeLater() }

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
  // The type of `once` does not say that the event has an argument.
  if (response === undefined) throw new Error('The event "response" had no message.')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

test('the request ids of a response are those of the event', async () => {
  const { headers, body } = await send('GET', '/v1/x')

  expect(headers['x-amzn-requestid']).toMatch(/^[0-9a-f-]{36}$/)
  expect(JSON.parse(body).requestContext).toMatchObject({
    requestId: headers['x-amzn-requestid'],
    extendedRequestId: headers['x-amz-apigw-id'],
  })
})

test('the target of a request may be a whole URL, as a client of a proxy sends it', async () => {
  const { body } = await send('GET', 'http://other.example/v1/x?a=1')

  expect(JSON.parse(body)).toMatchObject({ queryStringParameters: { a: '1' } })
})

// Clients close an idle connection earlier, so the server never closes one on which a request is under way.
test('the server keeps an idle connection for 65 seconds', async () => {
  const { headers } = await send('GET', '/v1/x')

  expect(headers['keep-alive']).toBe('timeout=65')
})

test('the response to a header value that HTTP does not allow is 500, and the log says why', async () => {
  functionHeaders = { a: 'line\nbreak' }

  expect(await send('GET', '/v1/x')).toMatchObject({ status: 500 })

  expect(lines.join()).toMatch(/^\[gateway\] TypeError/)
})

/** Bytes of the longest body that API Gateway accepts. */
const longestBytes = 10 * 1024 * 1024

test('a body of 10 MB reaches the function', async () => {
  const { body } = await send('POST', '/v1/x', 'a'.repeat(longestBytes))

  expect(JSON.parse(body)).toMatchObject({ length: longestBytes })
})

test('a body of more than 10 MB is refused, and its connection serves the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const tooLong = 'a'.repeat(longestBytes + 1)

  expect(await send('POST', '/v1/x', tooLong, agent)).toMatchObject({ status: 413, body: 'REQUEST_TOO_LARGE' })
  expect(await send('GET', '/v1/x', '', agent)).toMatchObject({ status: 200 })
  agent.destroy()
})

test('a request that is refused whatever its body is gets its response before the body has been sent', async () => {
  const outgoing = request({ port: gateway.port, method: 'POST', path: '/v1/unknown' })
  outgoing.write('a')

  const [response]: IncomingMessage[] = await once(outgoing, 'response')
  outgoing.end()

  expect(response?.statusCode).toBe(404)
})

/** The beginning of a request whose function is invoked after an authorizer. */
const startRequest = (method: string, ...headers: string[]): string =>
  [`${method} /v1/authorized HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')

const chunked = startRequest('POST', 'Transfer-Encoding: chunked')

/** Connects to the gateway. Errors are ignored, because the server closes a connection that it cannot read. */
const openSocket = () => connect(gateway.port, '127.0.0.1').on('error', () => {})

// Node.js itself ends a connection without a request, and one that begins with no HTTP, so neither is in the table.
describe.each(['destroy', 'end', 'resetAndDestroy'] as const)('a client that closes by %s', (close) => {
  /** Sends bytes, and then closes the connection. Resolves when it is closed. */
  const sendAndClose = async (bytes: string): Promise<void> => {
    const socket = openSocket()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.resume().write(bytes, () => socket[close]())
    await closed
  }

  test.each([
    { moment: 'before the body', bytes: startRequest('POST', 'Content-Length: 8') },
    {
      moment: 'before a body that it asks about',
      bytes: startRequest('POST', 'Content-Length: 8', 'Expect: 100-continue'),
    },
    { moment: 'in the body', bytes: `${startRequest('POST', 'Content-Length: 8')}half` },
    { moment: 'after the body', bytes: `${startRequest('POST', 'Content-Length: 4')}body` },
    { moment: 'after a longer body than it announced', bytes: `${startRequest('POST', 'Content-Length: 3')}body` },
    { moment: 'in a chunk', bytes: `${chunked}8\r\nhalf` },
    { moment: 'before the last chunk', bytes: `${chunked}4\r\nbody\r\n` },
    { moment: 'after a chunk without a length', bytes: `${chunked}length\r\nbody\r\n` },
    { moment: 'after a request without a body', bytes: startRequest('GET') },
    { moment: 'after two requests', bytes: startRequest('GET').repeat(2) },
    { moment: 'after a request and no HTTP', bytes: `${startRequest('GET')}nonsense\r\n\r\n` },
  ])(`a client that closes by ${close} $moment leaves no line in the log`, async ({ bytes }) => {
    await sendAndClose(bytes)
    // The authorizer takes as long for this later request, so the server has handled the end of the first connection by
    // the time of its response.
    await send('GET', '/v1/authorized')

    expect(lines).toEqual([])
  })

  test(`a client that closes by ${close} during its response leaves no line in the log`, async () => {
    // More than the buffers of a connection take, so the server is still sending when the client closes.
    functionHeaders = { filler: 'a'.repeat(20_000_000) }
    const socket = openSocket()
    socket.write(startRequest('GET'))
    await new Promise((resolve) => socket.once('readable', resolve))

    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.resume()[close]()
    await closed
    // The response to this later request needs no filler. Before it, the server has handled the end of the connection.
    functionHeaders = {}
    await send('GET', '/v1/authorized')

    expect(lines).toEqual([])
  })
})

test('the function of a request whose body is cut off is not invoked', async () => {
  const socket = openSocket()
  socket.end(`${startRequest('POST', 'Content-Length: 8')}half`)
  await once(socket.resume(), 'close')

  // A wrong invocation would come before that of this later request, because the authorizer takes as long for both.
  await send('GET', '/v1/authorized')

  expect(invocations).toBe(1)
})
