/**
 * Reads the REST API of an environment from its template.
 *
 * Unlike API Gateway it supports only a REQUEST authorizer without caching and without an identity source, AWS_PROXY
 * integrations of Lambda functions, MOCK integrations with one response, and gateway responses without variables.
 * Anything else in a template is a UserError.
 */
import { createUnsupportedError, type FindResources, type JsonObject } from './stacks.ts'

/** The parts of a REST API that the gateway needs. */
export interface RestApi {
  readonly id: string
  /** First segment of every path. */
  readonly stageName: string
  readonly methods: readonly ApiMethod[]
  /** Responses by type, such as `UNAUTHORIZED`. */
  readonly gatewayResponses: ReadonlyMap<string, StaticResponse>
}

export interface ApiMethod {
  /** `ANY` for every method. */
  readonly httpMethod: string
  /** Path of the resource, such as `/pets/{petId}`; `/` for the root. */
  readonly path: string
  /** Name of the function of a REQUEST authorizer, which is invoked for every request. */
  readonly authorizer: string | undefined
  readonly apiKeyRequired: boolean
  /** Name of a function, or the response of a MOCK integration. */
  readonly integration: string | StaticResponse
}

/** A response that the template itself contains. */
export interface StaticResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** CloudFormation's properties of a gateway response, and of the response of a MOCK integration. */
interface StaticProperties {
  readonly StatusCode: string
  readonly ResponseParameters?: Readonly<Record<string, string>>
  readonly ResponseTemplates?: Readonly<Record<string, string>>
}

interface GatewayResponseProperties extends StaticProperties {
  readonly ResponseType: string
}

interface ResourceProperties {
  readonly ParentId: string
  readonly PathPart: string
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

/** @throws UserError when the stacks have no REST API that the local gateway can serve */
export const readRestApi = (findResources: FindResources): RestApi => {
  const [api] = findResources<object>('ApiGateway::RestApi')
  const [stage] = findResources('ApiGateway::Stage')
  if (api === undefined || stage === undefined)
    throw createUnsupportedError('a template without a REST API and its stage')
  expectProperties('the REST API', api.properties, { ApiKeySourceType: 'AUTHORIZER' })

  return {
    id: api.name,
    stageName: stage.name,
    methods: readMethods(findResources),
    gatewayResponses: readGatewayResponses(findResources),
  }
}

const readGatewayResponses = (findResources: FindResources): ReadonlyMap<string, StaticResponse> => {
  const responses = findResources<GatewayResponseProperties>('ApiGateway::GatewayResponse')
  return new Map(
    responses.map(({ properties }) => {
      const type = properties.ResponseType
      return [type, readStaticResponse(`the gateway response ${type}`, properties)]
    }),
  )
}

const readMethods = (findResources: FindResources): readonly ApiMethod[] => {
  const authorizers = readAuthorizers(findResources)
  const paths = readPaths(findResources)

  return findResources<MethodProperties>('ApiGateway::Method').map(({ properties }) => {
    const { HttpMethod, ResourceId, AuthorizerId, ApiKeyRequired, Integration } = properties
    // The root is not among the paths: it has no resource of its own.
    const path = paths.get(ResourceId) ?? '/'
    const label = `${HttpMethod} ${path}`
    expectProperties(label, properties, { AuthorizationType: AuthorizerId === undefined ? 'NONE' : 'CUSTOM' })
    return {
      httpMethod: HttpMethod,
      path,
      authorizer: AuthorizerId === undefined ? undefined : authorizers.get(AuthorizerId),
      apiKeyRequired: ApiKeyRequired ?? false,
      integration: readIntegration(`the integration of ${label}`, Integration),
    }
  })
}

/** Reads the names of the authorizers' functions, by the id of the authorizer. */
const readAuthorizers = (findResources: FindResources): ReadonlyMap<string, string> => {
  const authorizers = findResources<{ AuthorizerUri: string }>('ApiGateway::Authorizer')
  return new Map(
    authorizers.map(({ name, properties }) => {
      // The local gateway caches no decision, and invokes the authorizer for each request, whatever headers it has.
      expectProperties('the authorizer', properties, {
        Type: 'REQUEST',
        AuthorizerResultTtlInSeconds: 0,
        IdentitySource: '',
      })
      return [name, readFunctionName(properties.AuthorizerUri)]
    }),
  )
}

/** Reads the paths of the resources but for the root, by their ids. */
const readPaths = (findResources: FindResources): ReadonlyMap<string, string> => {
  const resources = findResources<ResourceProperties>('ApiGateway::Resource')
  const propertiesById = new Map(resources.map((resource) => [resource.name, resource.properties]))

  const buildPath = (id: string): string => {
    const properties = propertiesById.get(id)
    return properties === undefined ? '' : `${buildPath(properties.ParentId)}/${properties.PathPart}`
  }
  return new Map(resources.map(({ name }) => [name, buildPath(name)]))
}

const readIntegration = (label: string, integration: MethodProperties['Integration']): ApiMethod['integration'] => {
  const { Type, Uri = '', IntegrationResponses = [] } = integration
  if (Type === 'AWS_PROXY') return readFunctionName(Uri)

  const [response] = IntegrationResponses
  if (Type !== 'MOCK' || response === undefined) {
    throw createUnsupportedError(`${label}: use AWS_PROXY, or MOCK with a response`)
  }
  return readStaticResponse(label, response)
}

/** @param uri contains the ARN of a function or of an alias */
const readFunctionName = (uri: string): string => {
  const name = /arn:aws:lambda:[^:]*:[^:]*:function:([^:/]+)/.exec(uri)?.[1]
  if (name === undefined) throw createUnsupportedError(`the URI ${uri}: use one of a Lambda function`)
  return name
}

/**
 * Checks properties for which the local gateway supports one value only.
 *
 * @throws UserError for another value
 */
const expectProperties = (label: string, properties: object, expected: JsonObject): void => {
  const actualValues = new Map<string, unknown>(Object.entries(properties))
  for (const [name, value] of Object.entries(expected)) {
    const actual = actualValues.get(name)
    if (actual !== value) throw createUnsupportedError(`${name} ${actual} of ${label}: use ${JSON.stringify(value)}`)
  }
}

/** @throws UserError for a header or a body with variables, which only API Gateway itself can replace */
const readStaticResponse = (label: string, properties: StaticProperties): StaticResponse => {
  const { StatusCode, ResponseParameters = {}, ResponseTemplates = {} } = properties
  const body = ResponseTemplates['application/json'] ?? ''
  if (/[$#]/.test(body)) throw createUnsupportedError(`variables in the body of ${label}: leave out $ and #`)

  const headers = Object.entries(ResponseParameters).map(([parameter, value]) => {
    const name = parameter.replace(/^(gatewayresponse|method\.response)\.header\./, '')
    const literal = /^'(.*)'$/s.exec(value)?.[1]
    if (literal === undefined) throw createUnsupportedError(`headers of ${label} but literals in single quotes`)
    return [name, literal]
  })
  return { status: Number(StatusCode), headers: Object.fromEntries(headers), body }
}
