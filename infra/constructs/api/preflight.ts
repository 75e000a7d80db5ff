import { AuthorizationType, type IResource, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway'
import { allowedRequestHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'

const status = '204'
const cacheSeconds = 86_400

/**
 * Adds the response to CORS preflight requests. It needs no API key, because browsers send none with them. CDK's
 * `defaultCorsPreflightOptions` lacks the headers of limits, which every response has, and its integration fails with 500
 * for a `Content-Type` other than JSON.
 *
 * @param methods the methods of the resource, without OPTIONS
 */
export const addPreflight = (resource: IResource, methods: readonly string[]): void => {
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
