import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import {
  ApiKeySourceType,
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  RequestAuthorizer,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { type ContractOperation, stageName } from '../../contract/contract.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import { ServiceLogGroup } from '../monitoring/service-log-group.ts'
import { accessLogFormat } from './access-log.ts'
import { ApiDomain, secureEndpoint } from './api-domain.ts'
import { addGatewayResponses } from './gateway-responses.ts'
import { addPreflight } from './preflight.ts'
import { WebFirewall } from './web-firewall.ts'

export interface PetAdoptionApiProps {
  readonly config: EnvironmentConfig
  /** Each operation with its function. */
  readonly operations: readonly (readonly [ContractOperation, IFunction])[]
  /** Responds to requests that name no operation. */
  readonly unknownRoute: IFunction
  readonly authorizer: IFunction
}

const everyMethod = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const

/** The REST API: each operation of the contract on its route, and the unknown-route function for every other request. */
export class PetAdoptionApi extends Construct {
  readonly restApi: RestApi
  readonly accessLog: ILogGroup
  /** Scheme and host. */
  readonly origin: string

  constructor(scope: Construct, id: string, props: PetAdoptionApiProps) {
    super(scope, id)
    const { config } = props
    const { domain, firewall, methodThrottle } = config
    const { region, stackName, urlSuffix } = Stack.of(this)
    this.accessLog = new ServiceLogGroup(this, 'AccessLog', config)
    this.restApi = new RestApi(this, 'RestApi', {
      restApiName: stackName,
      description: 'Pet Adoption API',
      endpointTypes: [EndpointType.REGIONAL],
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      deployOptions: {
        stageName,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat: accessLogFormat(config.tracing),
        throttlingRateLimit: methodThrottle.requestsPerSecond,
        throttlingBurstLimit: methodThrottle.burst,
        tracingEnabled: config.tracing,
      },
      disableExecuteApiEndpoint: domain !== undefined,
      // An account has one role for the logs of all its APIs in a Region. Each environment sets it, and keeps it when it
      // is destroyed, for the other APIs.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
    })
    secureEndpoint(this.restApi)
    if (domain !== undefined) new ApiDomain(this, 'Domain', { domain, restApi: this.restApi })
    // `restApi.url` refers to the stage as well, which the stack of the reference would import.
    const ownHost = `${this.restApi.restApiId}.execute-api.${region}.${urlSuffix}`
    this.origin = `https://${domain?.name ?? ownHost}`
    if (firewall !== undefined) {
      new WebFirewall(this, 'Firewall', { ...firewall, stage: this.restApi.deploymentStage })
    }
    addGatewayResponses(this.restApi)
    this.#addMethods(props)
  }

  #addMethods({ operations, unknownRoute, authorizer: handler }: PetAdoptionApiProps): void {
    const methodOptions = {
      authorizationType: AuthorizationType.CUSTOM,
      // API Gateway would refuse a request without the identity source itself, and a cache would keep requests from being
      // counted.
      authorizer: new RequestAuthorizer(this, 'Authorizer', {
        handler,
        identitySources: [],
        resultsCacheTtl: Duration.seconds(0),
      }),
      apiKeyRequired: true,
    }
    const addMethod = (path: string, method: string, lambda: IFunction) =>
      this.restApi.root
        .resourceForPath(path)
        .addMethod(method, new LambdaIntegration(lambda, { allowTestInvoke: false }), methodOptions)
    for (const [{ path, method }, lambda] of operations) addMethod(path, method, lambda)
    // API Gateway routes by path and method, so these two also get the known paths with other methods. `{proxy+}` never
    // matches the root.
    for (const path of ['/', '/{proxy+}']) addMethod(path, 'ANY', unknownRoute)
    for (const path of resourcePaths(operations.map(([operation]) => operation.path))) {
      const methods = operations.flatMap(([operation]) => (operation.path === path ? [operation.method] : []))
      addPreflight(this.restApi.root.resourceForPath(path), methods.length === 0 ? everyMethod : methods)
    }
  }
}

/** These paths, all paths above them, and `/{proxy+}`. */
const resourcePaths = (paths: readonly string[]): ReadonlySet<string> => {
  const above = paths.flatMap((path) => {
    const segments = path.split('/')
    return segments.map((_, count) => segments.slice(0, count + 1).join('/') || '/')
  })
  return new Set(['/', ...above, '/{proxy+}'])
}
