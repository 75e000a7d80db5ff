import { CfnOutput } from 'aws-cdk-lib'
import {
  type CfnRestApi,
  DomainName,
  EndpointAccessMode,
  EndpointType,
  type RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { Construct } from 'constructs'
import { stageName } from '../../contract/contract.ts'
import type { CustomDomain } from '../../environments.ts'

/**
 * TLS 1.3 and 1.2 with forward secrecy, for requests to this host only. The default of a regional API accepts TLS 1.0
 * ("Supported security policies" in the Amazon API Gateway Developer Guide).
 */
const transport = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
}

/** CDK's construct lacks these properties of the resource. */
export const secureEndpoint = (restApi: RestApi): void => {
  Object.assign(restApi.node.defaultChild as CfnRestApi, transport)
}

export interface ApiDomainProps {
  readonly domain: CustomDomain
  readonly restApi: RestApi
}

/** The API at the operator's host name. The operator adds its DNS record, an alias of the output `DomainTarget`. */
export class ApiDomain extends Construct {
  constructor(scope: Construct, id: string, { domain, restApi }: ApiDomainProps) {
    super(scope, id)
    const name = new DomainName(this, 'Name', {
      domainName: domain.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      endpointType: EndpointType.REGIONAL,
      ...transport,
    })
    name.addBasePathMapping(restApi, { basePath: stageName, stage: restApi.deploymentStage })
    new CfnOutput(this, 'Target', { value: name.domainNameAliasDomainName }).overrideLogicalId('DomainTarget')
    const zone = new CfnOutput(this, 'Zone', { value: name.domainNameAliasHostedZoneId })
    zone.overrideLogicalId('DomainTargetHostedZoneId')
  }
}
