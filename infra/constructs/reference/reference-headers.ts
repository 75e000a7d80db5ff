import { Aws, Stack } from 'aws-cdk-lib'
import { CfnResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront'
import { Construct } from 'constructs'
import { securityHeaders, strictTransportSecurity } from '../../reference/security-headers.ts'

export interface ReferenceHeadersProps {
  /** Scheme and host of the API, which the page calls. */
  readonly apiOrigin: string
}

/**
 * The headers that CloudFront adds to every response. It has a property for each security header, and accepts these
 * nowhere else. CDK's construct is not used, because its enumerations name the same values differently.
 */
export class ReferenceHeaders extends Construct {
  readonly policy: CfnResponseHeadersPolicy

  constructor(scope: Construct, id: string, { apiOrigin }: ReferenceHeadersProps) {
    super(scope, id)
    const {
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': _,
      'X-Frame-Options': frameOption,
      'Referrer-Policy': referrerPolicy,
      'Access-Control-Allow-Origin': allowedOrigin,
      ...others
    } = securityHeaders(apiOrigin)
    this.policy = new CfnResponseHeadersPolicy(this, 'Policy', {
      responseHeadersPolicyConfig: {
        // The name is unique in an account, over all Regions.
        name: `${Stack.of(this).stackName}-${Aws.REGION}`,
        comment: 'Pet Adoption Service: the API reference',
        securityHeadersConfig: {
          contentSecurityPolicy: { contentSecurityPolicy, override: true },
          contentTypeOptions: { override: true },
          frameOptions: { frameOption, override: true },
          referrerPolicy: { referrerPolicy, override: true },
          strictTransportSecurity: {
            accessControlMaxAgeSec: strictTransportSecurity.seconds,
            includeSubdomains: strictTransportSecurity.includeSubdomains,
            override: true,
          },
        },
        corsConfig: {
          accessControlAllowOrigins: { items: [allowedOrigin] },
          accessControlAllowMethods: { items: ['GET', 'HEAD'] },
          accessControlAllowHeaders: { items: ['*'] },
          accessControlAllowCredentials: false,
          originOverride: true,
        },
        customHeadersConfig: {
          items: Object.entries(others).map(([header, value]) => ({ header, value, override: true })),
        },
      },
    })
  }
}
