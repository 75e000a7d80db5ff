import type { APIGatewayProxyEvent } from 'aws-lambda'
import { afterAll } from 'vitest'
import { createUsage } from '../../../../../infra/local/gateway/meter.ts'
import { drain, listen } from '../../../../../infra/local/gateway/server/listen.ts'
import { createGatewayServer } from '../../../../../infra/local/gateway/server/server.ts'
import { createFunctionHost } from '../../../../../infra/local/lambda/function-host.ts'
import type { RestApi } from '../../../../../infra/local/template/rest-api.ts'
import type { EdgeKey } from '../../../../../infra/operations/target/edge-keys.ts'
import { bundle, method, resource, restApi, temporaryFolder } from '../fixtures.ts'

const folder = temporaryFolder()

const codes = {
  /** Its response is its event. */
  echo: 'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })',
  /** Its result is the body of the request. */
  reply: 'exports.handler = async (event) => JSON.parse(event.body)',
  /** What it does is in the query. */
  authorizer: `exports.handler = async ({ queryStringParameters: { result, error, exit } }) => {
    if (error) throw new Error(error)
    if (exit) process.exit(1)
    return JSON.parse(result)
  }`,
}

const functions = createFunctionHost({
  functions: new Map(Object.entries(codes).map(([name, code]) => [name, bundle(folder, name, code)])),
  databaseEndpoint: 'http://127.0.0.1:1',
  writeLine: () => {},
})
afterAll(() => functions.close())

/** The API keys that the edge knows, by their values. */
export const edgeKeys = new Map<string, EdgeKey>()

const usageMeter = { edgeKeys: { get: async (value: string) => edgeKeys.get(value) }, usage: createUsage(Date.now) }

const serve = async (api: RestApi): Promise<string> => {
  const server = createGatewayServer({
    served: async () => ({ api, functions, usageMeter }),
    clock: Date.now,
    reportFault: (error) => console.error(error),
  })
  afterAll(() => drain(server))
  return `http://127.0.0.1:${await listen(server, 0)}`
}

const echo = method('echo')
const guarded = method('echo', { authorizer: { functionName: 'authorizer' } })

const origin = await serve(
  restApi({
    resources: [
      resource('/', { ANY: echo }),
      resource('/{proxy+}', { ANY: echo }),
      resource('/x', { GET: echo }),
      resource('/x/{id}', { ANY: echo }),
      resource('/reply', { POST: method('reply') }),
      resource('/mock', {
        OPTIONS: {
          ...echo,
          integration: { type: 'MOCK', response: { status: 204, headers: { A: 'b' }, body: '' } },
        },
      }),
      resource('/guarded', { GET: guarded }),
      resource('/metered', { GET: { ...guarded, apiKeyRequired: true } }),
    ],
    usagePlans: [{ id: 'plan', Throttle: { RateLimit: 0, BurstLimit: 2 } }],
  }),
)

const originWithoutProxy = await serve(restApi({ resources: [resource('/x', { GET: echo })] }))

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
