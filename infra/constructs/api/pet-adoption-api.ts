import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import {
  ApiKeySourceType,
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  RequestAuthorizer,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { ContractOperation } from '../../contract/contract.ts'
import { stageName } from '../../contract/contract.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import { AccessLog } from './access-log.ts'
import { ApiDomain, secureEndpoint } from './api-domain.ts'
import { acknowledgeApiFindings } from './api-findings.ts'
import { addGatewayResponses } from './gateway-responses.ts'
import { addPreflight } from './preflight.ts'
import { WebFirewall } from './web-firewall.ts'

export interface PetAdoptionApiProps {
  readonly config: EnvironmentConfig
  readonly operations: readonly ContractOperation[]
  /** The function of each operation. */
  readonly functions: ReadonlyMap<ContractOperation, IFunction>
  /** Responds to requests that name no operation. */
  readonly unknownRoute: IFunction
  readonly authorizer: IFunction
}

const everyMethod = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const

/** The REST API: each operation of the contract on its route, and the unknown-route function for every other request. */
export class PetAdoptionApi extends Construct {
  readonly restApi: RestApi
  readonly accessLog: AccessLog
  /** Without a final slash. */
  readonly baseUrl: string

  constructor(scope: Construct, id: string, props: PetAdoptionApiProps) {
    super(scope, id)
    const { config } = props
    const { domain, firewall, methodThrottle } = config
    this.accessLog = new AccessLog(this, 'AccessLog', config)
    this.restApi = new RestApi(this, 'RestApi', {
      restApiName: Stack.of(this).stackName,
      description: 'Pet Adoption API',
      endpointTypes: [EndpointType.REGIONAL],
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      deployOptions: {
        stageName,
        accessLogDestination: this.accessLog.destination,
        accessLogFormat: this.accessLog.format,
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
    acknowledgeApiFindings(this.restApi, config)
    // CDK's output of the URL, which has a final slash.
    this.restApi.node.tryRemoveChild('Endpoint')
    this.baseUrl =
      domain === undefined
        ? this.#regionalUrl()
        : new ApiDomain(this, 'Domain', { domain, restApi: this.restApi }).baseUrl
    if (firewall !== undefined) {
      new WebFirewall(this, 'Firewall', { ...firewall, stage: this.restApi.deploymentStage })
    }
    addGatewayResponses(this.restApi)
    this.#addMethods(props)
  }

  /** Has the stage's name as text, so that another stack imports nothing but the id of the REST API. */
  #regionalUrl(): string {
    const { region, urlSuffix } = Stack.of(this)
    return `https://${this.restApi.restApiId}.execute-api.${region}.${urlSuffix}/${stageName}`
  }

  #addMethods({ operations, functions, unknownRoute, authorizer }: PetAdoptionApiProps): void {
    const methodOptions = {
      authorizationType: AuthorizationType.CUSTOM,
      authorizer: new RequestAuthorizer(this, 'Authorizer', {
        handler: authorizer,
        // API Gateway would refuse a request without the identity source itself, and a cache would keep requests from
        // being counted.
        identitySources: [],
        resultsCacheTtl: Duration.seconds(0),
      }),
      apiKeyRequired: true,
    }
    for (const operation of operations) {
      this.restApi.root
        .resourceForPath(operation.path)
        .addMethod(operation.method, integrationOf(functions.get(operation), operation.name), methodOptions)
    }
    // API Gateway routes by path and method, so these two also get the known paths with other methods. `{proxy+}` never
    // matches the root.
    for (const path of ['/', '/{proxy+}']) {
      this.restApi.root
        .resourceForPath(path)
        .addMethod('ANY', integrationOf(unknownRoute, 'unknown-route'), methodOptions)
    }
    for (const path of resourcePaths(operations)) {
      const methods = operations.filter((operation) => operation.path === path).map(({ method }) => method)
      addPreflight(this.restApi.root.resourceForPath(path), methods.length === 0 ? everyMethod : methods)
    }
  }
}

/** The paths of the operations, all paths above them, and `/{proxy+}`. */
const resourcePaths = (operations: readonly ContractOperation[]): ReadonlySet<string> => {
  const above = operations.flatMap(({ path }) => {
    const segments = path.split('/')
    return segments.map((_, count) => segments.slice(0, count + 1).join('/') || '/')
  })
  return new Set(['/', ...above, '/{proxy+}'])
}

const integrationOf = (handler: IFunction | undefined, name: string): LambdaIntegration => {
  if (handler === undefined) throw new Error(`There is no function for ${name}.`)
  return new LambdaIntegration(handler, { allowTestInvoke: false })
}
