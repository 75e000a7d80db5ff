import { UserError } from '../../command-line/user-error.ts'
import { type IntegrationProperties, readIntegration } from './integration.ts'
import { namedFunction, rootResourceId } from './physical-names.ts'
import type { ResolvedResource, ResourcesOf } from './resolved-resources.ts'
import type { ApiMethod, ApiResource, RestApi, UsagePlan } from './rest-api.ts'
import { readStaticResponse, type StaticProperties } from './static-response.ts'

/** @throws UserError when the stacks have no REST API that the local gateway can serve. */
export const readRestApi = (resourcesOf: ResourcesOf): RestApi => {
  const [api] = resourcesOf<{ ApiKeySourceType: string }>('ApiGateway::RestApi')
  const [stage] = resourcesOf<{ DeploymentId: string }>('ApiGateway::Stage')
  if (api === undefined || stage === undefined) throw new UserError('The template has no REST API with a stage.')
  if (api.properties.ApiKeySourceType !== 'AUTHORIZER') {
    throw new UserError('The local gateway takes the API key from the authorizer: set ApiKeySourceType to AUTHORIZER.')
  }
  const gatewayResponses = resourcesOf<StaticProperties & { ResponseType: string }>('ApiGateway::GatewayResponse')
  const usagePlans = resourcesOf<Omit<UsagePlan, 'id'>>('ApiGateway::UsagePlan')
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
    usagePlans: new Map(usagePlans.map((plan) => [plan.name, readUsagePlan(plan)])),
    apiKeys: readApiKeys(resourcesOf),
  }
}

const readApiKeys = (resourcesOf: ResourcesOf): RestApi['apiKeys'] => {
  const memberships = resourcesOf<{ KeyId: string; UsagePlanId: string }>('ApiGateway::UsagePlanKey')
  const keys = resourcesOf<{ Name: string; Value: string }>('ApiGateway::ApiKey')
  return new Map(
    keys.flatMap(({ name: id, properties: { Name, Value } }) =>
      memberships
        .filter(({ properties }) => properties.KeyId === id)
        .map(({ properties }) => [Value, { name: Name, usagePlanId: properties.UsagePlanId }] as const),
    ),
  )
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

const readMethod = (
  label: string,
  { AuthorizationType, AuthorizerId = '', ApiKeyRequired = false, Integration }: MethodProperties,
  authorizers: ReadonlyMap<string, AuthorizerProperties>,
): ApiMethod => {
  const authorizer = authorizers.get(AuthorizerId)
  if (AuthorizationType !== 'NONE' && authorizer === undefined) {
    throw new UserError(`The local gateway supports ${label} only with a Lambda authorizer of its API, or none.`)
  }
  return {
    authorizer: authorizer && readAuthorizer(authorizer),
    apiKeyRequired: ApiKeyRequired,
    integration: readIntegration(label, Integration),
  }
}

interface AuthorizerProperties {
  readonly Type: string
  readonly IdentitySource?: string
  readonly AuthorizerResultTtlInSeconds?: number
  readonly AuthorizerUri: string
}

/** The gateway here caches no decision, and invokes the authorizer whatever the request has. */
const readAuthorizer = (authorizer: AuthorizerProperties): ApiMethod['authorizer'] => {
  const { Type, IdentitySource, AuthorizerResultTtlInSeconds, AuthorizerUri } = authorizer
  if (Type !== 'REQUEST' || IdentitySource || AuthorizerResultTtlInSeconds !== 0) {
    throw new UserError('The local gateway supports only REQUEST authorizers with TTL 0 and without identity source.')
  }
  return { functionName: namedFunction(AuthorizerUri, 'The authorizer') }
}

const readUsagePlan = ({ name: id, properties }: ResolvedResource<Omit<UsagePlan, 'id'>>): UsagePlan => {
  const { Throttle, Quota } = properties
  if (Quota !== undefined && Quota.Period !== 'DAY') {
    throw new UserError('The local gateway supports only usage plans with the quota period DAY.')
  }
  return { id, ...(Throttle && { Throttle }), ...(Quota && { Quota }) }
}
