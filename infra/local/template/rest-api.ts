import { type FindResources, type JsonObject, unsupportedError } from './stacks.ts'

/** The REST API of an environment: what the gateway needs of its template. */
export interface RestApi {
  readonly id: string
  /** The first segment of every path. */
  readonly stageName: string
  readonly methods: readonly ApiMethod[]
  /** By response type, such as `UNAUTHORIZED`. */
  readonly gatewayResponses: ReadonlyMap<string, StaticResponse>
}

export interface ApiMethod {
  /** `ANY` for every method. */
  readonly httpMethod: string
  /** Such as `/pets/{petId}`; `/` for the root. */
  readonly path: string
  /** The function of a REQUEST authorizer, which is invoked for every request. */
  readonly authorizer: string | undefined
  readonly apiKeyRequired: boolean
  /** The name of a function, or the response of a MOCK integration. */
  readonly integration: string | StaticResponse
}

/** A response that the template itself gives. */
export interface StaticResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** @throws UserError when the stacks have no REST API that the local gateway can serve. */
export const readRestApi = (resourcesOf: FindResources): RestApi => {
  const [api] = resourcesOf<object>('ApiGateway::RestApi')
  const [stage] = resourcesOf('ApiGateway::Stage')
  if (api === undefined || stage === undefined) throw unsupportedError('a template without a REST API and its stage')
  expectProperties('the REST API', api.properties, { ApiKeySourceType: 'AUTHORIZER' })
  const responses = resourcesOf<StaticProperties & { ResponseType: string }>('ApiGateway::GatewayResponse')
  const gatewayResponses = responses.map(({ properties }) => {
    const type = properties.ResponseType
    return [type, readStaticResponse(`the gateway response ${type}`, properties)] as const
  })
  const methods = readMethods(resourcesOf)
  return { id: api.name, stageName: stage.name, methods, gatewayResponses: new Map(gatewayResponses) }
}

interface MethodProperties {
  readonly ResourceId: string
  readonly HttpMethod: string
  readonly AuthorizerId?: string
  readonly ApiKeyRequired?: boolean
  readonly Integration: {
    readonly Type: string
    readonly Uri?: string
    readonly IntegrationResponses?: readonly StaticProperties[]
  }
}

const readMethods = (resourcesOf: FindResources): readonly ApiMethod[] => {
  const authorizers = new Map(
    resourcesOf<{ AuthorizerUri: string }>('ApiGateway::Authorizer').map(({ name, properties }) => {
      // The gateway here caches no decision, and invokes the authorizer whatever the request has.
      const expected = { Type: 'REQUEST', AuthorizerResultTtlInSeconds: 0, IdentitySource: '' }
      expectProperties('the authorizer', properties, expected)
      return [name, namedFunction(properties.AuthorizerUri)]
    }),
  )
  const resources = resourcesOf<{ ParentId: string; PathPart: string }>('ApiGateway::Resource')
  const parts = new Map(resources.map(({ name, properties }) => [name, properties]))
  const pathOf = (id: string): string => {
    const part = parts.get(id)
    return part === undefined ? '' : `${pathOf(part.ParentId)}/${part.PathPart}`
  }
  return resourcesOf<MethodProperties>('ApiGateway::Method').map(({ properties }) => {
    const { HttpMethod: httpMethod, ResourceId, AuthorizerId, ApiKeyRequired, Integration } = properties
    const path = pathOf(ResourceId) || '/'
    const label = `${httpMethod} ${path}`
    expectProperties(label, properties, { AuthorizationType: AuthorizerId === undefined ? 'NONE' : 'CUSTOM' })
    return {
      ...{ httpMethod, path },
      authorizer: AuthorizerId === undefined ? undefined : authorizers.get(AuthorizerId),
      apiKeyRequired: ApiKeyRequired ?? false,
      integration: readIntegration(`the integration of ${label}`, Integration),
    }
  })
}

const readIntegration = (label: string, integration: MethodProperties['Integration']): ApiMethod['integration'] => {
  const { Type, Uri = '', IntegrationResponses = [] } = integration
  if (Type === 'AWS_PROXY') return namedFunction(Uri)
  const [response] = IntegrationResponses
  if (Type !== 'MOCK' || response === undefined)
    throw unsupportedError(`${label}: use AWS_PROXY, or MOCK with a response`)
  return readStaticResponse(label, response)
}

/** @param uri with the ARN of a function or of an alias */
const namedFunction = (uri: string): string => {
  const name = /arn:aws:lambda:[^:]*:[^:]*:function:([^:/]+)/.exec(uri)?.[1]
  if (name === undefined) throw unsupportedError(`the URI ${uri}: use one of a Lambda function`)
  return name
}

/** Where another value would need what the gateway here does not do. */
const expectProperties = (label: string, properties: object, expected: JsonObject): void => {
  const actuals = new Map<string, unknown>(Object.entries(properties))
  for (const [name, value] of Object.entries(expected)) {
    const actual = actuals.get(name)
    if (actual !== value) throw unsupportedError(`${name} ${actual} of ${label}: use ${JSON.stringify(value)}`)
  }
}

interface StaticProperties {
  readonly StatusCode: string
  readonly ResponseParameters?: Readonly<Record<string, string>>
  readonly ResponseTemplates?: Readonly<Record<string, string>>
}

/** A header or a body with variables is not supported: only API Gateway itself fills them in. */
const readStaticResponse = (label: string, properties: StaticProperties): StaticResponse => {
  const { StatusCode, ResponseParameters = {}, ResponseTemplates = {} } = properties
  const body = ResponseTemplates['application/json'] ?? ''
  if (/[$#]/.test(body)) throw unsupportedError(`variables in the body of ${label}: leave out $ and #`)
  const headers = Object.entries(ResponseParameters).map(([parameter, value]) => {
    const literal = /^'(.*)'$/s.exec(value)?.[1]
    if (literal === undefined) throw unsupportedError(`headers of ${label} but literals in single quotes`)
    return [parameter.replace(/^(gatewayresponse|method\.response)\.header\./, ''), literal] as const
  })
  return { status: Number(StatusCode), headers: Object.fromEntries(headers), body }
}
