import { catalogue, type ErrorCode } from '../../../shared/contract/generated/errors.ts'
import { crossOriginHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import type { RestApi } from '../template/rest-api.ts'
import type { HttpResponse } from './request.ts'

/** The headers `x-amzn-ErrorType` of the responses that API Gateway sends by itself, as recorded on AWS. */
const errorTypes = {
  ACCESS_DENIED: 'AccessDeniedException',
  AUTHORIZER_CONFIGURATION_ERROR: 'AuthorizerConfigurationException',
  BAD_REQUEST_PARAMETERS: 'BadRequestException',
  /** For a malformed result and for a function error, for which API Gateway has no other type. */
  DEFAULT_5XX: 'InternalServerErrorException',
  INTEGRATION_TIMEOUT: 'InternalServerErrorException',
  INVALID_API_KEY: 'ForbiddenException',
  MISSING_AUTHENTICATION_TOKEN: 'MissingAuthenticationTokenException',
  REQUEST_TOO_LARGE: 'RequestTooLargeException',
  UNAUTHORIZED: 'UnauthorizedException',
} as const

/** The outcome of a phase after which the request goes no further. */
export type GatewayResponseType = keyof typeof errorTypes

/** The response of the API itself, "Gateway responses for REST APIs in API Gateway". The template has one for each type. */
export const gatewayResponse = ({ gatewayResponses }: RestApi, type: GatewayResponseType): HttpResponse => {
  const customized = gatewayResponses.get(type)
  if (customized === undefined) throw new Error(`The template has no gateway response ${type}.`)
  const { status, headers, body } = customized
  const own = { 'Content-Type': 'application/json', 'x-amzn-ErrorType': errorTypes[type], ...headers }
  return { status, headers: Object.entries(own), body }
}

/** The catalogue's response for an error, where the request reaches no phase for which the template has a response. */
export const errorResponse = (code: ErrorCode, advice = ''): HttpResponse => {
  const { status, message } = catalogue[code]
  return {
    status,
    headers: Object.entries({ 'Content-Type': 'application/json', ...crossOriginHeaders, ...noAllowanceHeaders }),
    body: JSON.stringify({ code, message: `${message} ${advice}`.trim(), status }),
  }
}
