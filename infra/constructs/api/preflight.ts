import {
  AuthorizationType,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import { zeroLimitHeaders } from '../../../shared/http/response/response-headers.ts'
import { readContract } from '../../contract/contract.ts'
import { quoteHeaderValues } from './gateway-responses.ts'

const statusCode = '204'
/** Time for which a browser may keep the response to a preflight: a day. */
const cacheSeconds = 86_400

/** Methods that a preflight allows on a resource whose method is ANY. */
const methodsOfAny = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']

/**
 * Lists the headers that a browser may send: those that every operation takes, the parameters of all operations, and
 * `*`, which allows the headers that tracing libraries add to each request of a page. `*` means any header but
 * `Authorization`, if the request has no cookies or other credentials of the browser (Fetch standard, "CORS protocol").
 * The API takes no such credentials.
 */
const listRequestHeaders = (): readonly string[] => {
  const parameters = readContract().operations.flatMap(({ input }) => input.headers.map(({ name }) => name))
  return [...new Set(['Authorization', 'Content-Type'].concat(parameters)), '*']
}

/**
 * Adds the responses to CORS preflight requests, one for each resource. Call it after all methods are added. Preflight
 * requests need no API key, because browsers send none with them.
 *
 * CDK's `defaultCorsPreflightOptions` lacks the headers of limits, which every response has, and its integration fails
 * with 500 for a `Content-Type` other than JSON.
 */
export const addPreflights = (restApi: RestApi): void => {
  const methodsByResource = Map.groupBy(restApi.methods, (method) => method.resource)
  for (const [resource, methods] of methodsByResource) {
    const methodNames = methods.map(({ httpMethod }) => httpMethod)
    addPreflight(resource, methodNames.includes('ANY') ? methodsOfAny : methodNames)
  }
}

const addPreflight = (resource: IResource, methods: readonly string[]): void => {
  const headers = quoteHeaderValues({
    ...zeroLimitHeaders,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': [...methods, 'OPTIONS'].join(','),
    'Access-Control-Allow-Headers': listRequestHeaders().join(','),
    'Access-Control-Max-Age': String(cacheSeconds),
  })
  const headerValues: Record<string, string> = {}
  const declaredHeaders: Record<string, boolean> = {}
  for (const [name, value] of Object.entries(headers)) {
    headerValues[`method.response.header.${name}`] = value
    declaredHeaders[`method.response.header.${name}`] = true
  }

  const integration = new MockIntegration({
    // A `Content-Type` other than JSON gets the gateway response UNSUPPORTED_MEDIA_TYPE.
    passthroughBehavior: PassthroughBehavior.WHEN_NO_TEMPLATES,
    requestTemplates: { 'application/json': `{"statusCode":${statusCode}}` },
    integrationResponses: [{ statusCode, responseParameters: headerValues }],
  })
  resource.addMethod('OPTIONS', integration, {
    authorizationType: AuthorizationType.NONE,
    apiKeyRequired: false,
    methodResponses: [{ statusCode, responseParameters: declaredHeaders }],
  })
}
