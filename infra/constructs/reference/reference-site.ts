import { Aws, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
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
import { Construct } from 'constructs'
import { cacheControl, securityHeaders, strictTransportSecurity } from '../../reference/security-headers.ts'
import { indexPath, type SiteFile } from '../../reference/site-options.ts'

export interface ReferenceSiteProps {
  /** Their text may contain tokens. */
  readonly files: readonly SiteFile[]
  /** Scheme and host of the API, which the page calls. */
  readonly apiOrigin: string
}

/** Files in a private bucket behind CloudFront. */
export class ReferenceSite extends Construct {
  /** Without a final slash. */
  readonly url: string

  constructor(scope: Construct, id: string, { files, apiOrigin }: ReferenceSiteProps) {
    super(scope, id)
    // With exactOptionalPropertyTypes CDK's class does not satisfy its interface.
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // Every deployment can upload the files again.
      removalPolicy: RemovalPolicy.DESTROY,
    }) as IBucket
    const distribution = new Distribution(this, 'Distribution', {
      comment: `${Stack.of(this).stackName}: the API reference`,
      defaultRootObject: indexPath,
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket, {
          originAccessControl: new S3OriginAccessControl(this, 'Access', {
            originAccessControlName: this.#globalName(),
          }),
        }),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        compress: true,
        // Keeps a file for the second that it must, and then asks the bucket whether it has changed.
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: this.#headersPolicy(apiOrigin),
      },
      // S3 responds 403 for a missing file to who may not list the bucket.
      errorResponses: [
        { httpStatus: 403, responseHttpStatus: 404, responsePagePath: `/${indexPath}`, ttl: Duration.seconds(10) },
      ],
    })
    new BucketDeployment(this, 'Upload', {
      destinationBucket: bucket,
      sources: files.map(({ path, body }) => Source.data(path, body)),
      cacheControl: [CacheControl.fromString(cacheControl)],
      // CloudFormation deletes only an empty bucket.
      retainOnDelete: false,
      // It records deployments only, as CloudFormation's events do.
      logGroup: new LogGroup(this, 'Logs', {
        retention: RetentionDays.ONE_MONTH,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    })
    this.url = `https://${distribution.distributionDomainName}`
  }

  /** Unique in an account, over all Regions. */
  #globalName(): string {
    return `${Stack.of(this).stackName}-${Aws.REGION}`
  }

  /** The headers of `securityHeaders`. CloudFront has a property for most of them, and accepts these nowhere else. */
  #headersPolicy(apiOrigin: string): ResponseHeadersPolicy {
    const {
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': _nosniff,
      'X-Frame-Options': _frames,
      'Referrer-Policy': _referrer,
      'Access-Control-Allow-Origin': allowedOrigin,
      ...others
    } = securityHeaders(apiOrigin)
    const override = true
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: this.#globalName(),
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy, override },
        contentTypeOptions: { override },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override },
        strictTransportSecurity: {
          accessControlMaxAge: Duration.seconds(strictTransportSecurity.seconds),
          includeSubdomains: strictTransportSecurity.includeSubdomains,
          override,
        },
      },
      corsBehavior: {
        accessControlAllowOrigins: [allowedOrigin],
        accessControlAllowMethods: ['GET', 'HEAD'],
        accessControlAllowHeaders: ['*'],
        accessControlAllowCredentials: false,
        originOverride: true,
      },
      customHeadersBehavior: {
        customHeaders: Object.entries(others).map(([header, value]) => ({ header, value, override })),
      },
    })
  }
}
