import { UserError } from '../../command-line/user-error.ts'
import type { Resource, Stack } from '../../synthesis/assembly.ts'
import { asList, asNumber, asObject, asText, type JsonObject } from '../../synthesis/json.ts'
import { readIntegration } from './integration.ts'
import type { Resolve } from './intrinsic-functions.ts'
import { namedFunction } from './physical-names.ts'
import type { ApiMethod, ApiResource, RestApi, UsagePlan } from './rest-api.ts'
import { readStaticResponse } from './static-response.ts'

/** @throws UserError when the stacks have no REST API that the local gateway can serve. */
export const readRestApi = (stacks: readonly Stack[], resolve: Resolve): RestApi => {
  const all = resolvedResources(stacks, resolve)
  const [api, ...others] = all.filter(({ type }) => type === 'AWS::ApiGateway::RestApi')
  if (api === undefined || others.length > 0) {
    throw new UserError(`The template must have one REST API; it has ${api === undefined ? 'none' : 'several'}.`)
  }
  if (api.properties['ApiKeySourceType'] !== 'AUTHORIZER') {
    throw new UserError('The local gateway takes the API key from the authorizer: set ApiKeySourceType to AUTHORIZER.')
  }
  const ofApi = (type: string): readonly ResolvedResource[] =>
    all.filter((resource) => resource.type === type && resource.properties['RestApiId'] === api.name)
  const [stage] = ofApi('AWS::ApiGateway::Stage')
  if (stage === undefined) throw new UserError('The REST API of the template has no stage.')
  return {
    id: api.name,
    stageName: stage.name,
    deploymentId: asText(stage.properties['DeploymentId'], 'DeploymentId'),
    resources: readResources(api.rootResourceId, ofApi),
    gatewayResponses: new Map(
      ofApi('AWS::ApiGateway::GatewayResponse').map(({ properties }) => {
        const type = asText(properties['ResponseType'], 'ResponseType')
        return [type, readStaticResponse(`the gateway response ${type}`, properties)]
      }),
    ),
    usagePlans: new Map(
      all
        .filter(
          ({ type, properties }) =>
            type === 'AWS::ApiGateway::UsagePlan' && isOfStage(properties, api.name, stage.name),
        )
        .map(({ name, properties }) => [name, readUsagePlan(name, properties)]),
    ),
    apiKeys: readApiKeys(all),
  }
}

const readApiKeys = (all: readonly ResolvedResource[]): RestApi['apiKeys'] => {
  const memberships = all.filter(({ type }) => type === 'AWS::ApiGateway::UsagePlanKey')
  return new Map(
    memberships.map(({ properties: { KeyId, UsagePlanId } }) => {
      const key = all.find(({ type, name }) => type === 'AWS::ApiGateway::ApiKey' && name === KeyId)
      if (key === undefined) throw new UserError('A usage plan of the template has a key that is not in the template.')
      const name = asText(key.properties['Name'], 'Name')
      return [asText(key.properties['Value'], 'Value'), { name, usagePlanId: asText(UsagePlanId, 'UsagePlanId') }]
    }),
  )
}

interface ResolvedResource {
  /** What `Ref` gives. */
  readonly name: string
  /** Of a REST API: every resource tree hangs on it, and no template lists it. */
  readonly rootResourceId: string
  readonly type: string
  readonly properties: JsonObject
}

const resolvedResources = (stacks: readonly Stack[], resolve: Resolve): readonly ResolvedResource[] =>
  stacks.flatMap((stack) =>
    [...stack.resources.values()].filter(isOfApiGateway).map((resource) => ({
      name: asText(resolve(stack, { Ref: resource.logicalId }), resource.logicalId),
      rootResourceId: asText(
        resolve(stack, { 'Fn::GetAtt': [resource.logicalId, 'RootResourceId'] }),
        resource.logicalId,
      ),
      type: resource.type,
      properties: asObject(resolve(stack, resource.properties), resource.logicalId),
    })),
  )

const isOfApiGateway = ({ type }: Resource): boolean => type.startsWith('AWS::ApiGateway::')

const readResources = (
  rootId: string,
  ofApi: (type: string) => readonly ResolvedResource[],
): readonly ApiResource[] => {
  const children = ofApi('AWS::ApiGateway::Resource')
  const pathOf = (id: unknown): string => {
    const resource = children.find(({ name }) => name === id)
    if (resource === undefined) return ''
    return `${pathOf(resource.properties['ParentId'])}/${asText(resource.properties['PathPart'], 'PathPart')}`
  }
  const authorizers = new Map(ofApi('AWS::ApiGateway::Authorizer').map(({ name, properties }) => [name, properties]))
  return [rootId, ...children.map(({ name }) => name)].map((id) => {
    const path = pathOf(id) || '/'
    const methods = ofApi('AWS::ApiGateway::Method').filter(({ properties }) => properties['ResourceId'] === id)
    return {
      id,
      path,
      methods: new Map(
        methods.map(({ properties }) => {
          const httpMethod = asText(properties['HttpMethod'], `a method of ${path}`)
          return [httpMethod, readMethod(`${httpMethod} ${path}`, properties, authorizers)]
        }),
      ),
    }
  })
}

const readMethod = (label: string, properties: JsonObject, authorizers: ReadonlyMap<string, JsonObject>): ApiMethod => {
  const authorizer = authorizers.get(String(properties['AuthorizerId']))
  if (properties['AuthorizationType'] !== 'NONE' && authorizer === undefined) {
    throw new UserError(`The local gateway supports ${label} only with a Lambda authorizer of its API, or none.`)
  }
  return {
    authorizer: authorizer && readAuthorizer(authorizer),
    apiKeyRequired: properties['ApiKeyRequired'] === true,
    integration: readIntegration(label, asObject(properties['Integration'], `the integration of ${label}`)),
  }
}

/** The gateway here caches no decision, and invokes the authorizer whatever the request has. */
const readAuthorizer = ({ Type, IdentitySource, AuthorizerResultTtlInSeconds, AuthorizerUri }: JsonObject) => {
  if (Type !== 'REQUEST' || IdentitySource || AuthorizerResultTtlInSeconds !== 0) {
    throw new UserError('The local gateway supports only REQUEST authorizers with TTL 0 and without identity source.')
  }
  return { functionName: namedFunction(AuthorizerUri, 'The authorizer') }
}

const isOfStage = (plan: JsonObject, apiId: string, stageName: string): boolean =>
  asList(plan['ApiStages'], 'ApiStages').some((stage) => {
    const { ApiId, Stage } = asObject(stage, 'a stage of a usage plan')
    return ApiId === apiId && Stage === stageName
  })

const readUsagePlan = (id: string, { Throttle, Quota }: JsonObject): UsagePlan => {
  const throttle = Throttle === undefined ? undefined : asObject(Throttle, 'Throttle')
  const quota = Quota === undefined ? undefined : asObject(Quota, 'Quota')
  if (quota !== undefined && quota['Period'] !== 'DAY') {
    throw new UserError('The local gateway supports only usage plans with the quota period DAY.')
  }
  return {
    id,
    throttle: throttle && {
      ratePerSecond: asNumber(throttle['RateLimit'], 'RateLimit'),
      burst: asNumber(throttle['BurstLimit'], 'BurstLimit'),
    },
    dailyQuota: quota && asNumber(quota['Limit'], 'Limit'),
  }
}
