import { CfnOutput } from 'aws-cdk-lib'
import {
  CfnRestApi,
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
  const resource = restApi.node.defaultChild
  if (!(resource instanceof CfnRestApi)) throw new Error('The REST API has no resource to secure.')
  Object.assign(resource, transport)
}

export interface ApiDomainProps {
  readonly domain: CustomDomain
  readonly restApi: RestApi
}

/** The API at the operator's host name. The operator adds its DNS record, an alias of the output `DomainTarget`. */
export class ApiDomain extends Construct {
  /** Without a final slash. */
  readonly baseUrl: string

  constructor(scope: Construct, id: string, { domain, restApi }: ApiDomainProps) {
    super(scope, id)
    const domainName = new DomainName(this, 'Name', {
      domainName: domain.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      endpointType: EndpointType.REGIONAL,
      ...transport,
    })
    domainName.addBasePathMapping(restApi, { basePath: stageName, stage: restApi.deploymentStage })
    this.baseUrl = `https://${domain.name}/${stageName}`
    const targets = {
      DomainTarget: domainName.domainNameAliasDomainName,
      DomainTargetHostedZoneId: domainName.domainNameAliasHostedZoneId,
    }
    for (const [name, value] of Object.entries(targets)) new CfnOutput(this, name, { value }).overrideLogicalId(name)
  }
}
