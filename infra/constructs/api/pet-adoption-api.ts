import { Duration, Stack } from 'aws-cdk-lib'
import {
  ApiKeySourceType,
  AuthorizationType,
  type CfnRestApi,
  type DomainNameOptions,
  EndpointAccessMode,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  type MethodOptions,
  RequestAuthorizer,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53'
import { ApiGateway } from 'aws-cdk-lib/aws-route53-targets'
import { Construct } from 'constructs'
import { type ContractOperation, stageName } from '../../contract/contract.ts'
import type { EnvironmentConfig } from '../../environments.ts'
import type { ServiceFunction } from '../functions/service-function.ts'
import { accessLogFormat, ServiceLogGroup } from '../monitoring/logs.ts'
import { addGatewayResponses } from './gateway-responses.ts'
import { addPreflights } from './preflight.ts'
import { addFirewall } from './web-firewall.ts'

interface PetAdoptionApiProps {
  readonly config: EnvironmentConfig
  /** The function of each operation. */
  readonly operations: ReadonlyMap<ContractOperation, ServiceFunction>
  /** Responds to requests that name no operation. */
  readonly unknownRoute: ServiceFunction
  readonly authorizer: ServiceFunction
}

type Domain = NonNullable<EnvironmentConfig['domain']>

/**
 * Settings of TLS: versions 1.3 and 1.2 with forward secrecy. The default of a regional API accepts TLS 1.0 ("Supported
 * security policies" in the Amazon API Gateway Developer Guide). `STRICT` rejects a request whose TLS server name is
 * not its host ("Endpoint access mode" there).
 */
const tlsSettings = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
}

/** The REST API: each operation of the contract on its route, and the unknown-route function for other requests. */
export class PetAdoptionApi extends Construct {
  readonly restApi: RestApi
  readonly accessLog: ILogGroup
  /** Scheme and host, without the stage. */
  readonly origin: string

  constructor(scope: Construct, id: string, { config, operations, unknownRoute, authorizer }: PetAdoptionApiProps) {
    super(scope, id)
    this.accessLog = new ServiceLogGroup(this, 'AccessLog', config)
    this.restApi = this.#createRestApi(config, authorizer)
    // CDK's construct lacks these properties of its resource.
    const resource = this.restApi.node.defaultChild as CfnRestApi
    resource.securityPolicy = tlsSettings.securityPolicy
    resource.endpointAccessMode = tlsSettings.endpointAccessMode

    // This host has only the id of the API. With `restApi.url` the reference stack would import the stage too, and then
    // no release could replace the stage: CloudFormation changes no export that another stack imports.
    const { region, urlSuffix } = Stack.of(this)
    const defaultHost = `${this.restApi.restApiId}.execute-api.${region}.${urlSuffix}`
    const { domain } = config
    this.origin = `https://${domain?.inUse ? domain.name : defaultHost}`
    if (domain?.hostedZone !== undefined) this.#addAliasRecord(domain.name, domain.hostedZone)

    if (config.requestsPerAddress !== undefined) addFirewall(this.restApi.deploymentStage, config.requestsPerAddress)
    addGatewayResponses(this.restApi)

    for (const [{ path, method }, operation] of operations) this.#addMethod(path, method, operation)
    // `{proxy+}` gets every path without a method of its own, also a known path with another method. It never matches
    // the root, which needs a method of its own.
    this.#addMethod('/', 'ANY', unknownRoute)
    this.#addMethod('/{proxy+}', 'ANY', unknownRoute)
    addPreflights(this.restApi)
  }

  #createRestApi(config: EnvironmentConfig, authorizer: ServiceFunction): RestApi {
    const { domain, methodThrottle } = config
    return new RestApi(this, 'RestApi', {
      restApiName: Stack.of(this).stackName,
      description: 'Pet Adoption API',
      endpointTypes: [EndpointType.REGIONAL],
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      defaultMethodOptions: this.#createMethodOptions(authorizer),
      deployOptions: {
        stageName,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
        throttlingRateLimit: methodThrottle.requestsPerSecond,
        throttlingBurstLimit: methodThrottle.burst,
        tracingEnabled: config.tracing,
      },
      disableExecuteApiEndpoint: domain?.inUse === true,
      ...(domain !== undefined && { domainName: this.#createDomainOptions(domain) }),
    })
  }

  #createMethodOptions(authorizer: ServiceFunction): MethodOptions {
    return {
      authorizationType: AuthorizationType.CUSTOM,
      authorizer: new RequestAuthorizer(this, 'Authorizer', {
        handler: authorizer.handler,
        // None: API Gateway itself would refuse a request without the identity source, by a 401 that is not counted.
        identitySources: [],
        // A cache would keep requests from being counted.
        resultsCacheTtl: Duration.seconds(0),
      }),
      apiKeyRequired: true,
    }
  }

  #createDomainOptions(domain: Domain): DomainNameOptions {
    return {
      domainName: domain.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      endpointType: EndpointType.REGIONAL,
      basePath: stageName,
      ...tlsSettings,
    }
  }

  /** Adds the DNS record of the domain. The settings have the id of the zone, so synth looks nothing up on AWS. */
  #addAliasRecord(name: string, { id, name: zoneName }: NonNullable<Domain['hostedZone']>): void {
    new ARecord(this, 'AliasRecord', {
      zone: HostedZone.fromHostedZoneAttributes(this, 'HostedZone', { hostedZoneId: id, zoneName }),
      // CDK adds the name of the zone, except to a name that ends with a full stop.
      recordName: `${name}.`,
      target: RecordTarget.fromAlias(new ApiGateway(this.restApi)),
    })
  }

  #addMethod(path: string, method: string, { handler }: ServiceFunction): void {
    const resource = this.restApi.root.resourceForPath(path)
    resource.addMethod(method, new LambdaIntegration(handler, { allowTestInvoke: false }))
  }
}
