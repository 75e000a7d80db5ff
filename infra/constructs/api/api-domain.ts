import { CfnOutput } from 'aws-cdk-lib'
import { DomainName, EndpointType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { Construct } from 'constructs'
import { stageName } from '../../contract/contract.ts'
import type { CustomDomain } from '../../environments.ts'
import { endpointAccessMode, securityPolicy } from './transport-security.ts'

export interface ApiDomainProps {
  readonly domain: CustomDomain
  readonly restApi: RestApi
}

/** The API at a host name of the operator's. Its DNS record is the operator's too: an alias to the output `DomainTarget`. */
export class ApiDomain extends Construct {
  /** Without a slash at its end. */
  readonly baseUrl: string

  constructor(scope: Construct, id: string, { domain, restApi }: ApiDomainProps) {
    super(scope, id)
    const domainName = new DomainName(this, 'Name', {
      domainName: domain.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy,
      endpointAccessMode,
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
