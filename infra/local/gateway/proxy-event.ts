import { localAccount } from '../template/physical-names.ts'
import type { RestApi } from '../template/rest-api.ts'
import { type Authorized, headerOf, type MultiValues, type Received, type Routed, traceIdHeader } from './request.ts'

/**
 * The event of a Lambda proxy integration, "Input format of a Lambda function for proxy
 * integration". What is empty is null.
 */
export const proxyEvent = (api: RestApi, request: Authorized): object => ({
  ...commonEvent(request),
  queryStringParameters: nullIfEmpty(lastValues(request.query)),
  multiValueQueryStringParameters: nullIfEmpty(allValues(request.query)),
  pathParameters: nullIfEmpty(request.pathParameters),
  stageVariables: null,
  requestContext: {
    ...requestContext(api, request),
    ...(request.authorizer !== undefined && { authorizer: request.authorizer }),
    identity: identity(request),
  },
  body: request.body ?? null,
  isBase64Encoded: false,
})

/** The event of a REQUEST authorizer: it has no body, and what is empty is an empty object. */
export const authorizerEvent = (api: RestApi, request: Routed, methodArn: string): object => ({
  type: 'REQUEST',
  methodArn,
  ...commonEvent(request),
  queryStringParameters: lastValues(request.query),
  multiValueQueryStringParameters: allValues(request.query),
  pathParameters: request.pathParameters,
  stageVariables: {},
  requestContext: { ...requestContext(api, request), identity: identity(request) },
})

const commonEvent = (request: Routed): object => {
  const headers = requestHeaders(request)
  return {
    resource: request.resource.path,
    path: request.path,
    httpMethod: request.httpMethod,
    headers: lastValues(headers),
    multiValueHeaders: allValues(headers),
  }
}

/** "Important notes for REST APIs": these never reach a function. */
const droppedHeaders = new Set([
  ...['connection', 'content-length', 'content-md5', 'expect', 'max-forwards', 'proxy-authenticate', 'server', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'www-authenticate'],
])

/** The caller's headers without those that end at the gateway, and those that the gateway adds. */
const requestHeaders = ({ headers, traceId, sourceIp }: Received): MultiValues => {
  const added = new Map([
    [traceIdHeader, [traceId]],
    ['X-Forwarded-For', [sourceIp]],
    // On AWS these two are always `443` and `https`.
    ['X-Forwarded-Port', [headerOf(headers, 'host')?.split(':').at(1) ?? '80']],
    ['X-Forwarded-Proto', ['http']],
  ])
  const notKept = new Set([...droppedHeaders, ...[...added.keys()].map((name) => name.toLowerCase())])
  return new Map([...[...headers].filter(([name]) => !notKept.has(name.toLowerCase())), ...added])
}

const requestContext = (api: RestApi, request: Routed): object => {
  // "The full domain name used to invoke the API. This should be the same as the incoming Host header."
  const domainName = headerOf(request.headers, 'host') ?? ''
  return {
    accountId: localAccount,
    apiId: api.id,
    deploymentId: api.deploymentId,
    domainName,
    domainPrefix: domainName.split('.')[0],
    extendedRequestId: request.extendedRequestId,
    httpMethod: request.httpMethod,
    path: request.rawPath,
    protocol: request.protocol,
    requestId: request.requestId,
    requestTime: requestTime(request.receivedAt),
    requestTimeEpoch: request.receivedAt,
    resourceId: request.resource.id,
    resourcePath: request.resource.path,
    stage: api.stageName,
  }
}

const identity = (request: Routed): object => ({
  accessKey: null,
  accountId: null,
  caller: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  sourceIp: request.sourceIp,
  user: null,
  userAgent: headerOf(request.headers, 'user-agent') ?? null,
  userArn: null,
})

/** As in an Apache log: `09/Apr/2015:12:34:56 +0000`. */
const requestTime = (epoch: number): string => {
  const [, day, month, year, time] = new Date(epoch).toUTCString().split(' ')
  return `${day}/${month}/${year}:${time} +0000`
}

const lastValues = (values: MultiValues): Readonly<Record<string, string>> =>
  Object.fromEntries([...values].map(([name, all]) => [name, all.at(-1) ?? '']))

const allValues = (values: MultiValues): Readonly<Record<string, readonly string[]>> => Object.fromEntries(values)

const nullIfEmpty = <Values extends object>(values: Values): Values | null =>
  Object.keys(values).length > 0 ? values : null
