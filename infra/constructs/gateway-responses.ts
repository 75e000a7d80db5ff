import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import { catalogue, type ErrorCode } from '../../shared/errors/catalogue.ts'
import type { AuthorizerContext } from '../../shared/http/authorizer-context.ts'
import { crossOriginHeaders, noAllowanceHeaders, rateLimitHeaders } from '../../shared/http/response-headers.ts'

type Headers = Readonly<Record<string, string>>

/** API Gateway takes a fixed header value in single quotes, and a value of the context without a `$`. */
const literal = (value: string): string => `'${value}'`
const fromAuthorizer = (key: keyof AuthorizerContext): string => `context.authorizer.${key}`

const mapValues = <Value>(record: Readonly<Record<string, Value>>, map: (value: Value) => string): Headers =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))

const crossOrigin = mapValues(crossOriginHeaders, literal)

/** Where the authorizer did not run, failed or refused the key. It is documented nowhere how its figures render then. */
const withoutFigures: Headers = { ...crossOrigin, ...mapValues(noAllowanceHeaders, literal) }

/** Where the caller may come again at once, for all that API Gateway knows. */
const soonAgain: Headers = { ...withoutFigures, 'Retry-After': literal('1') }

const unauthorized: Headers = { ...withoutFigures, 'WWW-Authenticate': literal('Bearer') }

/** Where the authorizer has run and handed its figures on. */
const withFigures: Headers = { ...crossOrigin, ...mapValues(rateLimitHeaders, fromAuthorizer) }

interface Entry {
  /** The status and, unless the authorizer words the body, the message are the catalogue's. */
  readonly code: ErrorCode
  readonly headers: Headers
  readonly wordedByAuthorizer?: true
}

/**
 * What API Gateway answers by itself, for every type of the AWS document "Gateway response types for
 * API Gateway". A type that is customised takes nothing from DEFAULT_4XX or DEFAULT_5XX, so each has
 * all its headers.
 */
export const gatewayResponses = {
  ACCESS_DENIED: {
    code: 'rate_limit_exceeded',
    headers: { ...withFigures, 'Retry-After': fromAuthorizer('retryAfter') },
    wordedByAuthorizer: true,
  },
  API_CONFIGURATION_ERROR: { code: 'internal_error', headers: withoutFigures },
  // The authorizer could not count the request, mostly because the store is away.
  AUTHORIZER_CONFIGURATION_ERROR: { code: 'service_unavailable', headers: soonAgain },
  AUTHORIZER_FAILURE: { code: 'service_unavailable', headers: soonAgain },
  BAD_REQUEST_BODY: { code: 'bad_request', headers: withoutFigures },
  BAD_REQUEST_PARAMETERS: { code: 'bad_request', headers: withoutFigures },
  DEFAULT_4XX: { code: 'bad_request', headers: withoutFigures },
  DEFAULT_5XX: { code: 'internal_error', headers: withoutFigures },
  EXPIRED_TOKEN: { code: 'unauthorized', headers: unauthorized },
  INTEGRATION_FAILURE: { code: 'gateway_timeout', headers: withFigures },
  INTEGRATION_TIMEOUT: { code: 'gateway_timeout', headers: withFigures },
  // The authorizer knows the key already, the usage plans at the edge not yet.
  INVALID_API_KEY: { code: 'api_key_not_ready', headers: unauthorized },
  INVALID_SIGNATURE: { code: 'unauthorized', headers: unauthorized },
  // No route for the request, whatever its name says.
  MISSING_AUTHENTICATION_TOKEN: { code: 'route_not_found', headers: withoutFigures },
  QUOTA_EXCEEDED: {
    code: 'rate_limit_exceeded',
    headers: {
      ...crossOrigin,
      'X-RateLimit-Limit': fromAuthorizer('dayLimit'),
      'X-RateLimit-Remaining': literal('0'),
      'X-RateLimit-Reset': fromAuthorizer('dayReset'),
      'Retry-After': fromAuthorizer('dayRetryAfter'),
    },
  },
  REQUEST_TOO_LARGE: { code: 'request_too_large', headers: withoutFigures },
  RESOURCE_NOT_FOUND: { code: 'route_not_found', headers: withoutFigures },
  // The account's own throttle can refuse before the authorizer has run.
  THROTTLED: { code: 'rate_limit_exceeded', headers: soonAgain },
  UNAUTHORIZED: { code: 'unauthorized', headers: unauthorized },
  UNSUPPORTED_MEDIA_TYPE: { code: 'unsupported_media_type', headers: withoutFigures },
  WAF_FILTERED: { code: 'request_blocked', headers: withoutFigures },
} as const satisfies Record<string, Entry>

/** Puts the error body and the headers of this API on everything that API Gateway answers by itself. */
export const addGatewayResponses = (restApi: RestApi): void => {
  const entries: Readonly<Record<string, Entry>> = gatewayResponses
  for (const [type, entry] of Object.entries(entries)) {
    restApi.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: String(catalogue[entry.code].status),
      responseHeaders: { ...entry.headers },
      templates: { 'application/json': bodyTemplate(entry) },
    })
  }
}

/** API Gateway replaces `$context.*` as text, without escaping; the authorizer's texts need none. */
const bodyTemplate = ({ code, wordedByAuthorizer }: Entry): string => {
  const { status, message } = catalogue[code]
  return JSON.stringify(
    wordedByAuthorizer
      ? { code: `$${fromAuthorizer('errorCode')}`, message: `$${fromAuthorizer('errorMessage')}`, status }
      : { code, message, status },
  )
}
