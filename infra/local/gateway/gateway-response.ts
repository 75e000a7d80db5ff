import { localAccount } from '../template/physical-names.ts'
import type { GatewayResponse, RestApi } from '../template/rest-api.ts'
import { headerOf } from './headers.ts'
import type { RequestHead } from './receive.ts'
import { type Refused, refusalKinds } from './refusal.ts'
import type { Answer, Routed } from './request.ts'

/**
 * The one place that turns a refusal into an answer, "Gateway responses for REST APIs in API
 * Gateway": the API's own response of this type, else its DEFAULT_4XX or DEFAULT_5XX, else AWS's.
 */
export const gatewayResponse = (
  api: RestApi,
  { refused, authorizerValues }: Refused,
  request: RequestHead | Routed,
): Answer => {
  const kind = refusalKinds[refused]
  const fallback = kind.status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX'
  const response = api.gatewayResponses.get(refused) ?? api.gatewayResponses.get(fallback) ?? stockResponse
  const variable = variables(api, { refused, authorizerValues }, request)
  const [contentType, template] = Object.entries(response.templates)[0] ?? stockTemplate
  return {
    status: response.status ?? kind.status,
    headers: [
      ['Content-Type', contentType],
      ['x-amzn-ErrorType', kind.errorType],
      ...readParameters(response, variable, request),
    ],
    body: template.replace(/\$(context(?:\.[A-Za-z]\w*)+)/g, (_whole, name: string) => variable(name) ?? ''),
  }
}

const stockTemplate = ['application/json', '{"message":$context.error.messageString}'] as const
const stockResponse: GatewayResponse = { status: undefined, parameters: {}, templates: {} }

type Variable = (name: string) => string | undefined

/** Of the variables of "Context variables for data models ... in API Gateway", those known by then. */
const variables = (api: RestApi, { refused, authorizerValues }: Refused, request: RequestHead | Routed): Variable => {
  const { message } = refusalKinds[refused]
  const known = new Map<string, string>([
    ['context.accountId', localAccount],
    ['context.apiId', api.id],
    ['context.error.message', String(message)],
    // The quotes are part of it; where there is no message it is a bare null.
    ['context.error.messageString', JSON.stringify(message)],
    ['context.error.responseType', refused],
    ['context.extendedRequestId', request.extendedRequestId],
    ['context.httpMethod', request.httpMethod],
    ['context.identity.sourceIp', request.sourceIp],
    ['context.path', request.rawPath],
    ['context.protocol', request.protocol],
    ['context.requestId', request.requestId],
    ['context.requestTimeEpoch', String(request.receivedAt)],
    ['context.stage', api.stageName],
    ...('resource' in request ? [['context.resourcePath', request.resource.path] as const] : []),
    ...Object.entries(authorizerValues).map(([name, value]) => [`context.authorizer.${name}`, value] as const),
  ])
  return (name) => known.get(name)
}

/** A parameter whose value is not known gives no header: nothing is documented about it. */
const readParameters = (
  { parameters }: GatewayResponse,
  variable: Variable,
  request: RequestHead,
): readonly (readonly [string, string])[] =>
  Object.entries(parameters).flatMap(([target, source]) => {
    const value = /^'(.*)'$/s.exec(source)?.[1] ?? requestHeader(source, request) ?? variable(source)
    const name = target.replace('gatewayresponse.header.', '')
    return value === undefined ? [] : [[name, value] as const]
  })

const requestHeader = (source: string, { headers }: RequestHead): string | undefined => {
  const name = /^method\.request\.header\.(.+)$/.exec(source)?.[1]
  return name === undefined ? undefined : headerOf(headers, name)
}
