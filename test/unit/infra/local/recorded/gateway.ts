import type { APIGatewayProxyEvent } from 'aws-lambda'
import { beforeAll } from 'vitest'
import { openGateway } from '../../../../../infra/local/gateway/server.ts'
import { createFunctionHost } from '../../../../../infra/local/lambda/function-host.ts'
import type { RestApi } from '../../../../../infra/local/template/rest-api.ts'
import { bundle, method, resource, restApi, temporaryFolder } from '../fixtures.ts'

const codes = {
  /** Its response is its event. */
  echo: 'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })',
  /** Its result is the body of the request. */
  reply: 'exports.handler = async (event) => JSON.parse(event.body)',
  /** Its response has nothing of the request. */
  short: 'exports.handler = async () => ({})',
  slow: 'exports.handler = () => new Promise((done) => setTimeout(done, 1000))',
  /** What it does is in the query. */
  authorizer: `exports.handler = async ({ queryStringParameters: { result, error, exit } }) => {
    if (error) throw new Error(error)
    if (exit) process.exit(1)
    return JSON.parse(result)
  }`,
}

/** What was reported of the functions. */
export const problems: string[] = []

const echo = method('echo')
const guarded = method('echo', { authorizer: { functionName: 'authorizer' } })

const api = restApi([
  resource('/', { ANY: echo }),
  resource('/{proxy+}', { ANY: echo }),
  resource('/x', { GET: echo }),
  resource('/x/{id}', { ANY: echo }),
  resource('/reply', { POST: method('reply') }),
  resource('/reply-short', { POST: method('short') }),
  resource('/slow', {
    GET: { ...echo, integration: { type: 'AWS_PROXY', functionName: 'slow', timeoutMilliseconds: 20 } },
  }),
  resource('/mock', {
    OPTIONS: {
      ...echo,
      integration: { type: 'MOCK', response: { status: 204, headers: { A: 'b' }, body: '' } },
    },
  }),
  resource('/guarded', { GET: guarded }),
  resource('/metered', { GET: { ...guarded, apiKeyRequired: true } }),
])

export let origin = ''
let originWithoutProxy = ''

/** A gateway for one test file. Files share their modules, so each asks for its own. */
export const openRecordedGateway = (): void => {
  const folder = temporaryFolder()
  beforeAll(async () => {
    problems.length = 0
    const functions = createFunctionHost({
      functions: new Map(Object.entries(codes).map(([name, code]) => [name, bundle(folder, name, code)])),
      databaseEndpoint: 'http://127.0.0.1:1',
      writeLine: (_function, line) => problems.push(line),
    })
    const serve = async (served: RestApi) => {
      const gateway = await openGateway({ port: 0, clock: Date.now, writeLine: (line) => console.error(line) })
      gateway.serve({ api: served, functions })
      return gateway
    }
    const [whole, withoutProxy] = [await serve(api), await serve(restApi([resource('/x', { GET: echo })]))]
    origin = `http://127.0.0.1:${whole.port}`
    originWithoutProxy = `http://127.0.0.1:${withoutProxy.port}`
    return () => Promise.all([whole.close(), withoutProxy.close(), functions.close()])
  })
}

export const call = (path: string, init: RequestInit = {}): Promise<Response> => fetch(origin + path, init)

/** The same, where only `GET /x` has a route. */
export const callWithoutProxy = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(originWithoutProxy + path, init)

/** The event of the function that a request reaches. */
export const eventOf = async (path: string, init?: RequestInit): Promise<APIGatewayProxyEvent> =>
  JSON.parse(await (await call(path, init)).text())

/** The response to what a function gives. */
export const replyTo = (result: unknown): Promise<Response> =>
  call('/v1/reply', { method: 'POST', body: JSON.stringify(result) })

export const decision = (Effect: 'Allow' | 'Deny', change: object = {}): string => {
  const policyDocument = { Version: '2012-10-17', Statement: [{ Effect, Action: 'execute-api:Invoke', Resource: '*' }] }
  return `?result=${encodeURIComponent(JSON.stringify({ principalId: 'me', policyDocument, ...change }))}`
}
