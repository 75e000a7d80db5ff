import { Aws, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import {
  CachePolicy,
  Distribution,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3'
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment'
import type { Construct } from 'constructs'
import { stageName } from '../contract/contract.ts'
import { buildSecurityHeaders, cacheControl, strictTransportSecurity } from '../reference/security-headers.ts'
import { buildSite } from '../reference/site.ts'
import { indexPath } from '../reference/site-options.ts'
import type { ServiceStackProps } from './data-stack.ts'

export interface ReferenceStackProps extends ServiceStackProps {
  /** Scheme and host of the API, which the page calls. It may be a token. */
  readonly apiOrigin: string
}

/**
 * The API reference, and the contract with the base URL of this environment: files in a private bucket behind CloudFront.
 * Nothing of it stays, as every deployment can upload the files again.
 */
export class ReferenceStack extends Stack {
  constructor(scope: Construct, id: string, props: ReferenceStackProps) {
    super(scope, id, props)
    const { environment, config, apiOrigin } = props
    const removalPolicy = RemovalPolicy.DESTROY
    // Unique in an account, over all Regions.
    const globalName = `${this.stackName}-${Aws.REGION}`
    // With exactOptionalPropertyTypes CDK's class does not satisfy its interface.
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy,
    }) as IBucket
    const originAccessControl = new S3OriginAccessControl(this, 'Access', { originAccessControlName: globalName })
    const distribution = new Distribution(this, 'Distribution', {
      comment: `${this.stackName}: the API reference`,
      defaultRootObject: indexPath,
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket, { originAccessControl }),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        compress: true,
        // Keeps a file for the second that it must, and then asks the bucket whether it has changed.
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: this.#headersPolicy(globalName, apiOrigin),
      },
      // S3 responds 403 for a missing file to who may not list the bucket.
      errorResponses: [
        { httpStatus: 403, responseHttpStatus: 404, responsePagePath: `/${indexPath}`, ttl: Duration.seconds(10) },
      ],
    })
    const { contactUrl } = config
    const baseUrl = `${apiOrigin}/${stageName}`
    const files = buildSite({ baseUrl, environment, ...(contactUrl !== undefined && { contactUrl }) })
    new BucketDeployment(this, 'Upload', {
      destinationBucket: bucket,
      sources: files.map(({ path, body }) => Source.data(path, body)),
      cacheControl: [CacheControl.fromString(cacheControl)],
      // CloudFormation deletes only an empty bucket.
      retainOnDelete: false,
      // It records deployments only, as CloudFormation's events do.
      logGroup: new LogGroup(this, 'UploadLogs', { retention: RetentionDays.ONE_MONTH, removalPolicy }),
    })
    new CfnOutput(this, 'ReferenceUrl', { value: `https://${distribution.distributionDomainName}` })
  }

  /** The headers of `securityHeaders`. CloudFront has a property for most of them, and accepts these nowhere else. */
  #headersPolicy(responseHeadersPolicyName: string, apiOrigin: string): ResponseHeadersPolicy {
    const headers = buildSecurityHeaders(apiOrigin)
    const others = ['Permissions-Policy', 'Cross-Origin-Opener-Policy', 'Cross-Origin-Resource-Policy'] as const
    const { seconds, includeSubdomains } = strictTransportSecurity
    const override = true
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName,
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy: headers['Content-Security-Policy'], override },
        contentTypeOptions: { override },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override },
        strictTransportSecurity: { accessControlMaxAge: Duration.seconds(seconds), includeSubdomains, override },
      },
      corsBehavior: {
        accessControlAllowOrigins: [headers['Access-Control-Allow-Origin']],
        accessControlAllowMethods: ['GET', 'HEAD'],
        accessControlAllowHeaders: ['*'],
        accessControlAllowCredentials: false,
        originOverride: override,
      },
      customHeadersBehavior: {
        customHeaders: others.map((header) => ({ header, value: headers[header], override })),
      },
    })
  }
}
