import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import {
  ApiKeySourceType,
  AuthorizationType,
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  RequestAuthorizer,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { type ContractOperation, stageName } from '../../contract/contract.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import type { OperationFunction } from '../functions/operation-function.ts'
import { accessLogFormat, ServiceLogGroup } from '../monitoring/logs.ts'
import { addGatewayResponses } from './gateway-responses.ts'
import { addPreflights } from './preflight.ts'
import { addFirewall } from './web-firewall.ts'

export interface PetAdoptionApiProps {
  readonly config: EnvironmentConfig
  /** Each operation with its function. */
  readonly operations: readonly (readonly [ContractOperation, OperationFunction])[]
  /** Responds to requests that name no operation. */
  readonly unknownRoute: OperationFunction
  readonly authorizer: OperationFunction
}

/**
 * TLS 1.3 and 1.2 with forward secrecy, for requests to this host only. The default of a regional API accepts TLS 1.0
 * ("Supported security policies" in the Amazon API Gateway Developer Guide).
 */
const transport = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
}

/** The REST API: each operation of the contract on its route, and the unknown-route function for every other request. */
export class PetAdoptionApi extends Construct {
  readonly restApi: RestApi
  readonly accessLog: ILogGroup
  /** Scheme and host. */
  readonly origin: string

  constructor(scope: Construct, id: string, { config, operations, unknownRoute, authorizer }: PetAdoptionApiProps) {
    super(scope, id)
    const { domain, methodThrottle, requestsPerAddress } = config
    const { region, stackName, urlSuffix } = Stack.of(this)
    this.accessLog = new ServiceLogGroup(this, 'AccessLog', config)
    this.restApi = new RestApi(this, 'RestApi', {
      restApiName: stackName,
      description: 'Pet Adoption API',
      endpointTypes: [EndpointType.REGIONAL],
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      defaultMethodOptions: {
        authorizationType: AuthorizationType.CUSTOM,
        // API Gateway would refuse a request without the identity source itself, and a cache would keep requests from
        // being counted.
        authorizer: new RequestAuthorizer(this, 'Authorizer', {
          handler: authorizer.handler,
          identitySources: [],
          resultsCacheTtl: Duration.seconds(0),
        }),
        apiKeyRequired: true,
      },
      deployOptions: {
        stageName,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
        throttlingRateLimit: methodThrottle.requestsPerSecond,
        throttlingBurstLimit: methodThrottle.burst,
        tracingEnabled: config.tracing,
      },
      disableExecuteApiEndpoint: domain !== undefined,
      ...(domain !== undefined && {
        domainName: {
          domainName: domain.name,
          certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
          endpointType: EndpointType.REGIONAL,
          basePath: stageName,
          ...transport,
        },
      }),
      // An account has one role for the logs of all its APIs in a Region. Each environment sets it, and keeps it when it
      // is destroyed, for the other APIs.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
    })
    // CDK's construct lacks these properties of the resource.
    Object.assign(this.restApi.node.defaultChild as CfnRestApi, transport)
    // `restApi.url` refers to the stage as well, which the stack of the reference would import.
    const ownHost = `${this.restApi.restApiId}.execute-api.${region}.${urlSuffix}`
    this.origin = `https://${domain?.name ?? ownHost}`
    if (requestsPerAddress !== undefined) addFirewall(this.restApi.deploymentStage, requestsPerAddress)
    addGatewayResponses(this.restApi)

    const addMethod = (path: string, method: string, { handler }: OperationFunction) =>
      this.restApi.root
        .resourceForPath(path)
        .addMethod(method, new LambdaIntegration(handler, { allowTestInvoke: false }))
    for (const [{ path, method }, lambda] of operations) addMethod(path, method, lambda)
    // API Gateway routes by path and method, so these two also get the known paths with other methods. `{proxy+}` never
    // matches the root.
    for (const path of ['/', '/{proxy+}']) addMethod(path, 'ANY', unknownRoute)
    addPreflights(this.restApi)
  }
}
