/**
 * The behaviour of AWS on which the service rests, as far as requests and reads of a deployed environment show it.
 * README.md in this folder has the rest.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { DescribeTimeToLiveCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Limits } from '../../shared/api-keys/plans.ts'

/** A deployed environment, and a key for its API. */
export interface DeployedApi {
  /** The base URL, which ends with the stage. */
  readonly baseUrl: string
  /** Address of the API reference; undefined if the environment has none. */
  readonly referenceUrl: string | undefined
  readonly database: DynamoDBClient
  /** Names of the tables whose items expire. */
  readonly expiringTables: readonly string[]
  /** Issues a key that ends within an hour. @returns the API key */
  readonly issueKey: (limits: Limits) => Promise<string>
}

export interface Fact {
  readonly behaviour: string
  /** Page of AWS that describes the behaviour. */
  readonly document: string
  /** Throws if AWS does something else that would break the service. */
  readonly check: (api: DeployedApi) => Promise<void>
}

/** The document of a behaviour that no page of AWS describes: these tests have what others have recorded on AWS. */
const recordedByOthers = 'test/unit/infra/local/gateway'

/** Limits of a key that no check uses up. */
const manyRequests: Limits = { perMinute: 10_000, perDay: 100_000 }

/** Maximum number of attempts of a request, a second apart. */
const maximumAttempts = 5

/** Sends a request, with an API key if there is one. After a 503, which contradicts no fact, sends it again. */
const send = async ({ baseUrl }: DeployedApi, target: string, apiKey?: string, init: RequestInit = {}) => {
  const authorization = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }
  for (let attempts = 1; ; attempts += 1) {
    const response = await fetch(baseUrl + target, { ...init, headers: { ...authorization, ...init.headers } })
    const text = await response.text()
    const { status, headers } = response
    if (status !== 503 || attempts === maximumAttempts) return { status, headers, text }
    await setTimeout(1_000)
  }
}

type Sent = Awaited<ReturnType<typeof send>>

/** Sends a request with a key of its own. */
const sendWithKey = async (api: DeployedApi, target: string, init?: RequestInit): Promise<Sent> =>
  send(api, target, await api.issueKey(manyRequests), init)

const addPet = (api: DeployedApi, apiKey: string, idempotencyKey: string): Promise<Sent> =>
  send(api, '/pets', apiKey, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
    body: '{"name":"Facts","categoryId":1}',
  })

/** Sends a pet whose name has many characters. A function that gets so large a body refuses it. */
const sendLargeBody = (api: DeployedApi, characterCount: number): Promise<Sent> => {
  const body = JSON.stringify({ name: 'a'.repeat(characterCount), categoryId: 1 })
  return sendWithKey(api, '/pets', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
}

/** Creates a check of the status, and perhaps of headers, of a request with a key. */
const expectStatus =
  (target: string, status: number, init?: RequestInit, headers: Readonly<Record<string, RegExp>> = {}) =>
  async (api: DeployedApi): Promise<void> => {
    const response = await sendWithKey(api, target, init)
    assert.equal(response.status, status)
    for (const [name, pattern] of Object.entries(headers)) assert.match(response.headers.get(name) ?? '', pattern)
  }

/** Waits until the list of available pets has a pet, because the index that lists read may be seconds late. */
const waitUntilListed = async (api: DeployedApi, apiKey: string, id: string): Promise<void> => {
  for (let seconds = 0; seconds < 60; seconds += 1) {
    const { text } = await send(api, '/pets?status=available&limit=100', apiKey)
    if (text.includes(`"id":${id},`)) return
    await setTimeout(1_000)
  }
  assert.fail(`The pet ${id} is in no list after a minute.`)
}

/** Sends a request by TLS to the host of the API, which names another host. @returns the status */
const sendForOtherHost = async (baseUrl: string): Promise<number | undefined> => {
  const { hostname, pathname } = new URL(baseUrl)
  const outgoing = request({
    hostname,
    servername: hostname,
    path: `${pathname}/pets`,
    headers: { Host: 'example.org' },
  })
  const [response]: IncomingMessage[] = await once(outgoing.end(), 'response')
  response?.resume()
  return response?.statusCode
}

export const factsOfAws: readonly Fact[] = [
  {
    behaviour:
      'With `apiKeySource: AUTHORIZER` the API key of a request is the `usageIdentifierKey` of the authorizer.',
    document: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-api-key-source.html',
    check: expectStatus('/pets?limit=1', 200),
  },
  {
    behaviour: 'A REQUEST authorizer without cache and identity source runs for every request.',
    document:
      'https://docs.aws.amazon.com/apigateway/latest/developerguide/configure-api-gateway-lambda-authorization.html',
    check: async (api) => {
      const apiKey = await api.issueKey({ perMinute: 10_000, perDay: 100 })
      const remaining: number[] = []
      for (let count = 0; count < 3; count += 1) {
        const { headers } = await send(api, '/pets?limit=1', apiKey)
        remaining.push(Number(headers.get('X-RateLimit-Remaining')))
      }
      assert.deepEqual(remaining, [99, 98, 97])
    },
  },
  {
    behaviour: 'A gateway response has the fixed status, headers and body that it is given.',
    document:
      'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gatewayResponse-definition.html',
    check: async (api) => {
      const { status, headers, text } = await send(api, '/pets')
      assert.equal(status, 401)
      // Only gateway responses have a limit of 0.
      assert.equal(headers.get('X-RateLimit-Limit'), '0')
      assert.equal(JSON.parse(text).code, 'unauthorized')
    },
  },
  {
    behaviour:
      'A request that the authorizer denies is ACCESS_DENIED, whose status can be changed, and which may send WWW-Authenticate.',
    document: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html',
    check: async (api) => {
      const { status, headers } = await send(api, '/pets', 'pet_test_unknown')
      assert.equal(status, 401)
      assert.match(headers.get('WWW-Authenticate') ?? '', /^Bearer/)
    },
  },
  {
    behaviour: 'A function is handed the context of the authorizer as strings.',
    document: recordedByOthers,
    check: async (api) => {
      const apiKey = await api.issueKey({ perMinute: 10_000, perDay: 4_321 })
      const { headers } = await send(api, '/pets?limit=1', apiKey)
      assert.equal(headers.get('X-RateLimit-Limit'), '4321')
    },
  },
  {
    behaviour: 'An authorizer that allows a request may pass values on with it, so the function can refuse.',
    document: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html',
    check: async (api) => {
      const apiKey = await api.issueKey({ perMinute: 10_000, perDay: 1 })
      // This request uses up the limit of the day. The authorizer allows the next one too, and the function refuses it.
      await send(api, '/pets?limit=1', apiKey)
      const { status, headers } = await send(api, '/pets?limit=1', apiKey)
      assert.equal(status, 429)
      assert.match(headers.get('Retry-After') ?? '', /^\d+$/)
    },
  },
  {
    behaviour: 'The headers of limits, links and deprecation pass.',
    document: recordedByOthers,
    // The contract has getPet as deprecated until 2030. No pet has the id 1, because ids contain the time.
    check: expectStatus('/pets/1', 404, undefined, {
      Deprecation: /^@\d+$/,
      Sunset: /2030/,
      'RateLimit-Policy': /"minute";q=10000/,
    }),
  },
  {
    behaviour: 'The path of the request context has the stage.',
    document: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html',
    check: expectStatus('/pets/1', 404, undefined, { Link: /\/v1\/pets/ }),
  },
  {
    behaviour: 'A known path with another method falls to {proxy+}.',
    document: recordedByOthers,
    check: expectStatus('/pets', 405, { method: 'DELETE' }, { Allow: /GET/ }),
  },
  {
    behaviour: '{proxy+} never matches the root.',
    document: recordedByOthers,
    check: expectStatus('/', 404),
  },
  {
    behaviour: 'HEAD is no GET.',
    document: recordedByOthers,
    check: expectStatus('/pets', 405, { method: 'HEAD' }),
  },
  {
    behaviour: 'Of several values of a query parameter the single map has the last, the multi map has all.',
    document: recordedByOthers,
    check: expectStatus('/pets?limit=5&limit=6', 400),
  },
  {
    behaviour: 'A query parameter without a value is an empty string.',
    document: recordedByOthers,
    check: expectStatus('/pets?status=', 400),
  },
  {
    behaviour: 'An empty query, empty path parameters, stage variables and an empty body are null.',
    document: recordedByOthers,
    check: expectStatus('/pets', 400, { method: 'POST', headers: { 'Content-Type': 'application/json' } }),
  },
  {
    behaviour: 'A body of up to 5 MB reaches the function.',
    document: 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
    check: async (api) => {
      const { status, headers } = await sendLargeBody(api, 5_000_000)
      assert.equal(status, 413)
      // A gateway response would have a limit of 0.
      assert.notEqual(headers.get('X-RateLimit-Limit'), '0')
    },
  },
  {
    behaviour: 'A body of 7 MB is REQUEST_TOO_LARGE, 413: Lambda takes 6 MB, API Gateway 10 MB.',
    document:
      'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html',
    check: async (api) => {
      const { status, headers, text } = await sendLargeBody(api, 7_000_000)
      assert.equal(status, 413)
      assert.equal(headers.get('X-RateLimit-Limit'), '0')
      assert.equal(JSON.parse(text).code, 'request_too_large')
    },
  },
  {
    behaviour: 'A preflight by a MOCK integration is a 204.',
    document: recordedByOthers,
    check: async (api) => {
      const headers = { Origin: 'https://example.org', 'Access-Control-Request-Method': 'POST' }
      const response = await send(api, '/pets', undefined, { method: 'OPTIONS', headers })
      assert.equal(response.status, 204)
      assert.equal(response.headers.get('Access-Control-Allow-Origin'), '*')
    },
  },
  {
    behaviour: 'A response has the request ids of the access log, `x-amzn-RequestId` and `x-amz-apigw-id`.',
    document:
      'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html',
    check: expectStatus('/pets?limit=1', 200, undefined, { 'x-amzn-RequestId': /./, 'x-amz-apigw-id': /./ }),
  },
  {
    behaviour: 'A security policy refuses old TLS; `STRICT` refuses requests for another host name.',
    document: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html',
    check: async ({ baseUrl }) => {
      assert.ok(baseUrl.startsWith('https:'), 'The API is not served by TLS.')
      assert.equal(await sendForOtherHost(baseUrl), 403)
    },
  },
  {
    behaviour: 'A conditional write of one item is atomic.',
    document: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html',
    check: async (api) => {
      const apiKey = await api.issueKey({ perMinute: 10_000, perDay: 10 })
      // Four requests at once, because a new account runs at most ten functions at the same time.
      const statuses: number[] = []
      for (let round = 0; round < 5; round += 1) {
        const sent = await Promise.all([1, 2, 3, 4].map(() => send(api, '/pets?limit=1', apiKey)))
        statuses.push(...sent.map(({ status }) => status))
      }
      assert.equal(statuses.filter((status) => status === 200).length, 10)
      assert.equal(statuses.filter((status) => status === 429).length, 10)
    },
  },
  {
    behaviour:
      'While a transaction is on an item, DynamoDB refuses other writes to it with TransactionConflictException.',
    document: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html',
    check: async (api) => {
      const apiKey = await api.issueKey(manyRequests)
      const idempotencyKey = randomUUID()
      const sent = await Promise.all([1, 2, 3, 4].map(() => addPet(api, apiKey, idempotencyKey)))
      assert.deepEqual(new Set(sent.map(({ status }) => status)), new Set([201]))
      assert.equal(new Set(sent.map(({ text }) => text)).size, 1, 'One Idempotency-Key added several pets.')
    },
  },
  {
    behaviour: 'A global secondary index is eventually consistent.',
    document: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.ReadConsistency.html',
    check: async (api) => {
      const apiKey = await api.issueKey(manyRequests)
      const { text } = await addPet(api, apiKey, randomUUID())
      const [, id = ''] = /^\{"id":(\d+),/.exec(text) ?? []
      await waitUntilListed(api, apiKey, id)
    },
  },
  {
    // Only the setting is checked: an item that is still read is no contradiction.
    behaviour: 'An expired item is deleted some time later, and read until then.',
    document: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html',
    check: async ({ database, expiringTables }) => {
      for (const TableName of expiringTables) {
        const { TimeToLiveDescription } = await database.send(new DescribeTimeToLiveCommand({ TableName }))
        assert.deepEqual(TimeToLiveDescription, { TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' })
      }
    },
  },
  {
    behaviour: 'CloudFront reads a private bucket with origin access control.',
    document:
      'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-restricting-access-to-s3.html',
    check: async ({ referenceUrl }) => {
      assert.ok(referenceUrl !== undefined, 'The environment has no API reference.')
      const response = await fetch(referenceUrl)
      assert.equal(response.status, 200)
      assert.match(await response.text(), /<html/)
    },
  },
  {
    behaviour: 'CloudFront adds the headers of a policy, and keeps a file as long as its `Cache-Control` says.',
    document:
      'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/understanding-response-headers-policies.html',
    check: async ({ referenceUrl }) => {
      assert.ok(referenceUrl !== undefined, 'The environment has no API reference.')
      const { headers } = await fetch(referenceUrl)
      assert.match(headers.get('Content-Security-Policy') ?? '', /default-src 'none'/)
      assert.match(headers.get('Cache-Control') ?? '', /no-cache/)
    },
  },
  {
    behaviour: 'S3 responds 403 for a missing file to a reader that may not list the bucket.',
    document: 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html',
    check: async ({ referenceUrl }) => {
      assert.ok(referenceUrl !== undefined, 'The environment has no API reference.')
      // The distribution turns the 403 of S3 into a 404.
      const { status } = await fetch(new URL('/missing', referenceUrl))
      assert.equal(status, 404)
    },
  },
]
