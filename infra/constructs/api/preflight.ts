import {
  AuthorizationType,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import { allowedRequestHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import { literals } from './gateway-responses.ts'

const statusCode = '204'
const cacheSeconds = 86_400
const everyMethod = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']

/**
 * Adds the responses to CORS preflight requests, last of all methods. They need no API key, because browsers send none with
 * them. CDK's `defaultCorsPreflightOptions` lacks the headers of limits, which every response has, and its integration
 * fails with 500 for a `Content-Type` other than JSON.
 */
export const addPreflights = (restApi: RestApi): void => {
  for (const [resource, methods] of Map.groupBy(restApi.methods, (method) => method.resource)) {
    const own = methods.map(({ httpMethod }) => httpMethod)
    addPreflight(resource, own.includes('ANY') ? everyMethod : own)
  }
}

const addPreflight = (resource: IResource, methods: readonly string[]): void => {
  const headers = {
    ...noAllowanceHeaders,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': [...methods, 'OPTIONS'].join(','),
    'Access-Control-Allow-Headers': allowedRequestHeaders.join(','),
    'Access-Control-Max-Age': String(cacheSeconds),
  }
  const responseParameters = Object.fromEntries(
    Object.entries(literals(headers)).map(([name, value]) => [`method.response.header.${name}`, value]),
  )
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.WHEN_NO_TEMPLATES,
    requestTemplates: { 'application/json': `{"statusCode":${statusCode}}` },
    integrationResponses: [{ statusCode, responseParameters }],
  })
  resource.addMethod('OPTIONS', integration, {
    authorizationType: AuthorizationType.NONE,
    apiKeyRequired: false,
    methodResponses: [
      {
        statusCode,
        responseParameters: Object.fromEntries(Object.keys(responseParameters).map((name) => [name, true])),
      },
    ],
  })
}
