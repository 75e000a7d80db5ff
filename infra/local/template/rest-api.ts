import { UserError } from '../../command-line/user-error.ts'
import type { ResourcesOf } from './intrinsic-functions.ts'
import { namedFunction, rootResourceId } from './physical-names.ts'
import { unsupported } from './unsupported.ts'

/** The REST API of an environment: what the gateway needs of its template. */
export interface RestApi {
  readonly id: string
  /** The first segment of every path. */
  readonly stageName: string
  readonly deploymentId: string
  readonly resources: readonly ApiResource[]
  /** By response type, such as `UNAUTHORIZED`. */
  readonly gatewayResponses: ReadonlyMap<string, StaticResponse>
}

export interface ApiResource {
  readonly id: string
  /** Such as `/pets/{petId}`; `/` for the root. */
  readonly path: string
  /** By HTTP method, or `ANY`. */
  readonly methods: ReadonlyMap<string, ApiMethod>
}

export interface ApiMethod {
  /** A REQUEST authorizer, which is invoked for every request. */
  readonly authorizer: { readonly functionName: string } | undefined
  readonly apiKeyRequired: boolean
  readonly integration: Integration
}

export type Integration =
  | { readonly type: 'AWS_PROXY'; readonly functionName: string; readonly timeoutMilliseconds: number }
  | { readonly type: 'MOCK'; readonly response: StaticResponse }

/** A response that the template itself gives: a gateway response, or that of a MOCK integration. */
export interface StaticResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** @throws UserError when the stacks have no REST API that the local gateway can serve. */
export const readRestApi = (resourcesOf: ResourcesOf): RestApi => {
  const [api] = resourcesOf<{ ApiKeySourceType: string }>('ApiGateway::RestApi')
  const [stage] = resourcesOf<{ DeploymentId: string }>('ApiGateway::Stage')
  if (api === undefined || stage === undefined) throw new UserError('The template has no REST API with a stage.')
  const { ApiKeySourceType } = api.properties
  if (ApiKeySourceType !== 'AUTHORIZER') throw unsupported(`the API key source ${ApiKeySourceType}: use AUTHORIZER`)
  const gatewayResponses = resourcesOf<StaticProperties & { ResponseType: string }>('ApiGateway::GatewayResponse')
  return {
    id: api.name,
    stageName: stage.name,
    deploymentId: stage.properties.DeploymentId,
    resources: readResources(rootResourceId(api.name), resourcesOf),
    gatewayResponses: new Map(
      gatewayResponses.map(({ properties }) => {
        const type = properties.ResponseType
        return [type, readStaticResponse(`the gateway response ${type}`, properties)]
      }),
    ),
  }
}

const readResources = (rootId: string, resourcesOf: ResourcesOf): readonly ApiResource[] => {
  const children = resourcesOf<{ ParentId: string; PathPart: string }>('ApiGateway::Resource')
  const pathOf = (id: string): string => {
    const resource = children.find(({ name }) => name === id)
    return resource === undefined ? '' : `${pathOf(resource.properties.ParentId)}/${resource.properties.PathPart}`
  }
  const authorizers = new Map(
    resourcesOf<AuthorizerProperties>('ApiGateway::Authorizer').map(({ name, properties }) => [name, properties]),
  )
  const all = resourcesOf<MethodProperties>('ApiGateway::Method').map(({ properties }) => properties)
  return [rootId, ...children.map(({ name }) => name)].map((id) => {
    const path = pathOf(id) || '/'
    const methods = all
      .filter(({ ResourceId }) => ResourceId === id)
      .map((method) => [method.HttpMethod, readMethod(`${method.HttpMethod} ${path}`, method, authorizers)] as const)
    return { id, path, methods: new Map(methods) }
  })
}

interface MethodProperties {
  readonly ResourceId: string
  readonly HttpMethod: string
  readonly AuthorizationType: string
  readonly AuthorizerId?: string
  readonly ApiKeyRequired?: boolean
  readonly Integration: IntegrationProperties
}

interface AuthorizerProperties {
  readonly Type: string
  readonly IdentitySource?: string
  readonly AuthorizerResultTtlInSeconds?: number
  readonly AuthorizerUri: string
}

const readMethod = (
  label: string,
  { AuthorizationType, AuthorizerId = '', ApiKeyRequired = false, Integration }: MethodProperties,
  authorizers: ReadonlyMap<string, AuthorizerProperties>,
): ApiMethod => {
  const authorizer = authorizers.get(AuthorizerId)
  if (AuthorizationType !== 'NONE' && authorizer === undefined) {
    throw unsupported(`the authorization ${AuthorizationType} of ${label}: use a Lambda authorizer of the API, or none`)
  }
  return {
    authorizer: authorizer && readAuthorizer(authorizer),
    apiKeyRequired: ApiKeyRequired,
    integration: readIntegration(label, Integration),
  }
}

/** The gateway here caches no decision, and invokes the authorizer whatever the request has. */
const readAuthorizer = (authorizer: AuthorizerProperties): ApiMethod['authorizer'] => {
  const { Type, IdentitySource, AuthorizerResultTtlInSeconds, AuthorizerUri } = authorizer
  if (Type !== 'REQUEST' || IdentitySource || AuthorizerResultTtlInSeconds !== 0) {
    throw unsupported('authorizers but those of type REQUEST, with TTL 0 and without identity source')
  }
  return { functionName: namedFunction(AuthorizerUri, 'The authorizer') }
}

interface IntegrationProperties {
  readonly Type: string
  readonly Uri?: string
  readonly TimeoutInMillis?: number
  readonly IntegrationResponses?: readonly (StaticProperties & { readonly SelectionPattern?: string })[]
}

/** API Gateway's maximum, and its default. */
const defaultTimeoutMilliseconds = 29_000

/** @param label the method, for messages */
const readIntegration = (
  label: string,
  { Type, Uri = '', TimeoutInMillis = defaultTimeoutMilliseconds, IntegrationResponses = [] }: IntegrationProperties,
): Integration => {
  if (Type === 'AWS_PROXY') {
    const functionName = namedFunction(Uri, `The integration of ${label}`)
    return { type: Type, functionName, timeoutMilliseconds: TimeoutInMillis }
  }
  // The response without a selection pattern is the default one.
  const response = IntegrationResponses.find(({ SelectionPattern }) => SelectionPattern === undefined)
  if (Type !== 'MOCK' || response === undefined) {
    throw unsupported(`the integration of ${label}: use AWS_PROXY, or MOCK with a default response`)
  }
  return { type: Type, response: readStaticResponse(`the MOCK integration of ${label}`, response) }
}

interface StaticProperties {
  readonly StatusCode: string
  readonly ResponseParameters?: Readonly<Record<string, string>>
  readonly ResponseTemplates?: Readonly<Record<string, string>>
}

/** A header or a body with variables is not supported: only API Gateway itself fills them in. */
const readStaticResponse = (
  label: string,
  { StatusCode, ResponseParameters = {}, ResponseTemplates = {} }: StaticProperties,
): StaticResponse => {
  const body = ResponseTemplates['application/json'] ?? ''
  if (/[$#]/.test(body)) throw unsupported(`variables in the body of ${label}: leave out $ and #`)
  const headers = Object.entries(ResponseParameters).map(([parameter, value]) => {
    const literal = /^'(.*)'$/s.exec(value)?.[1]
    if (literal === undefined) throw unsupported(`headers of ${label} but literals in single quotes`)
    return [parameter.replace(/^(gatewayresponse|method\.response)\.header\./, ''), literal] as const
  })
  return { status: Number(StatusCode), headers: Object.fromEntries(headers), body }
}
