import { localAccount } from '../template/intrinsic-functions.ts'
import type { RestApi } from '../template/rest-api.ts'
import type { Authorized, MultiValues, Routed } from './request.ts'

/** The event of a Lambda proxy integration, "Input format of a Lambda function for proxy integration". What is empty is null. */
export const proxyEvent = (api: RestApi, request: Routed | Authorized) => {
  const { method, path, pathParameters, httpMethod, rawPath, requestId, sourceIp, body } = request
  // In the place of the caller's own, which are in lower case too.
  const headers = { ...request.headers, 'x-forwarded-for': [sourceIp], 'x-forwarded-proto': ['http'] }
  const query = parseQuery(request.rawQuery)
  return {
    resource: method.path,
    path,
    httpMethod,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: nullIfEmpty(lastValues(query)),
    multiValueQueryStringParameters: nullIfEmpty(query),
    pathParameters: nullIfEmpty(pathParameters),
    stageVariables: null,
    requestContext: {
      accountId: localAccount,
      apiId: api.id,
      domainName: request.headers['host']?.at(-1),
      httpMethod,
      path: rawPath,
      requestId,
      resourcePath: method.path,
      stage: api.stageName,
      identity: { sourceIp, userAgent: request.headers['user-agent']?.at(-1) ?? null },
      ...('authorizer' in request && request.authorizer !== undefined && { authorizer: request.authorizer }),
    },
    body: body === '' ? null : body,
    isBase64Encoded: false,
  }
}

/** The event of a REQUEST authorizer has no body. */
export const authorizerEvent = (api: RestApi, request: Routed, methodArn: string) => ({
  ...proxyEvent(api, { ...request, body: '' }),
  type: 'REQUEST',
  methodArn,
})

/** API Gateway decodes the query for a Lambda proxy integration, and takes `+` for a space. */
const parseQuery = (rawQuery: string): MultiValues => {
  const query = new URLSearchParams(rawQuery)
  return Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]))
}

const lastValues = (values: MultiValues) =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all?.at(-1)]))

const nullIfEmpty = <Values extends object>(values: Values): Values | null =>
  Object.keys(values).length > 0 ? values : null
