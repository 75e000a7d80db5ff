import {
  AuthorizationType,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResourceBase,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import { allowedRequestHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'

const status = '204'
const cacheSeconds = 86_400
const everyMethod = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const

/**
 * Adds the responses to CORS preflight requests, last of all methods. They need no API key, because browsers send none with
 * them. CDK's `defaultCorsPreflightOptions` lacks the headers of limits, which every response has, and its integration
 * fails with 500 for a `Content-Type` other than JSON.
 */
export const addPreflights = ({ root, methods }: RestApi): void => {
  for (const resource of root.node.findAll().filter((child) => child instanceof ResourceBase)) {
    const own = methods.filter((method) => method.resource === resource).map(({ httpMethod }) => httpMethod)
    addPreflight(resource, own.every((method) => method === 'ANY') ? everyMethod : own)
  }
}

const addPreflight = (resource: IResource, methods: readonly string[]): void => {
  const headers = Object.entries({
    ...noAllowanceHeaders,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': [...methods, 'OPTIONS'].join(','),
    'Access-Control-Allow-Headers': allowedRequestHeaders.join(','),
    'Access-Control-Max-Age': String(cacheSeconds),
  }).map(([name, value]) => [`method.response.header.${name}`, `'${value}'`] as const)

  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.WHEN_NO_TEMPLATES,
    requestTemplates: { 'application/json': '{"statusCode":204}' },
    integrationResponses: [{ statusCode: status, responseParameters: Object.fromEntries(headers) }],
  })
  resource.addMethod('OPTIONS', integration, {
    authorizationType: AuthorizationType.NONE,
    apiKeyRequired: false,
    methodResponses: [
      { statusCode: status, responseParameters: Object.fromEntries(headers.map(([name]) => [name, true])) },
    ],
  })
}
