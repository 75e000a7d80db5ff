import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Aws, CfnOutput, Duration, FileSystem, RemovalPolicy, Stack } from 'aws-cdk-lib'
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
import { BucketDeployment, CacheControl, type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment'
import type { Construct } from 'constructs'
import { stageName } from '../contract/contract.ts'
import { buildSecurityHeaders, cacheControl, strictTransportSecurity } from '../reference/security-headers.ts'
import { buildSite } from '../reference/site.ts'
import { indexPath, type SiteFile } from '../reference/site-options.ts'
import type { ServiceStackProps } from './data-stack.ts'

interface ReferenceStackProps extends ServiceStackProps {
  /** Scheme and host of the API, which the page calls. The value may be a CDK token. */
  readonly apiOrigin: string
}

/** Placeholder for the origin of the API in the archive of the files. The upload replaces it. */
const originPlaceholder = 'https://origin-of-the-api.invalid'

/**
 * The API reference, and the contract with the base URL of this environment: files in a private bucket behind
 * CloudFront. The stack retains nothing, because every deployment can upload the files again.
 */
export class ReferenceStack extends Stack {
  constructor(scope: Construct, id: string, props: ReferenceStackProps) {
    super(scope, id, props)
    // CDK's class does not satisfy its interface under exactOptionalPropertyTypes, hence the cast.
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
    }) as IBucket
    const distribution = this.#createDistribution(bucket, props.apiOrigin)
    this.#uploadSite(bucket, props)
    new CfnOutput(this, 'ReferenceUrl', { value: `https://${distribution.distributionDomainName}` })
  }

  #createDistribution(bucket: IBucket, apiOrigin: string): Distribution {
    // CloudFront's names are unique in an account, over all Regions.
    const globalName = `${this.stackName}-${Aws.REGION}`
    const originAccessControl = new S3OriginAccessControl(this, 'Access', { originAccessControlName: globalName })
    return new Distribution(this, 'Distribution', {
      comment: `${this.stackName}: the API reference`,
      defaultRootObject: indexPath,
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket, { originAccessControl }),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        compress: true,
        // The minimum time to live of this policy is one second. After that second CloudFront asks the bucket whether
        // the file has changed, because its `Cache-Control` is `no-cache`.
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: this.#createHeadersPolicy(globalName, apiOrigin),
      },
      errorResponses: [
        {
          // S3 responds with 403 for a missing file, because CloudFront may not list the bucket.
          httpStatus: 403,
          responseHttpStatus: 404,
          responsePagePath: `/${indexPath}`,
          ttl: Duration.seconds(10),
        },
      ],
    })
  }

  #uploadSite(bucket: IBucket, { environment, config, apiOrigin }: ReferenceStackProps): void {
    const files = buildSite({
      baseUrl: `${originPlaceholder}/${stageName}`,
      environment,
      banPolicy: config.banPolicy,
      ...(config.contactUrl !== undefined && { contactUrl: config.contactUrl }),
    })
    // The log has only deployments, which CloudFormation's events have too, so it is deleted with the stack.
    const logGroup = new LogGroup(this, 'UploadLogs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })

    const upload = new BucketDeployment(this, 'UploadPage', {
      sources: [createSource(files, { [originPlaceholder]: apiOrigin })],
      destinationBucket: bucket,
      cacheControl: [CacheControl.fromString(cacheControl)],
      logGroup,
      // Nothing is removed: the projects of callers name the URLs of the packages that they have installed.
      prune: false,
    })

    // The dependency includes the custom resource that empties the bucket. CloudFormation deletes in the reverse order,
    // so nothing uploads a file after the bucket has been emptied.
    upload.node.addDependency(bucket)
  }

  /**
   * Creates a policy with the headers of `buildSecurityHeaders`. CloudFront has properties for most of them, and
   * accepts a header that has a property only there.
   */
  #createHeadersPolicy(responseHeadersPolicyName: string, apiOrigin: string): ResponseHeadersPolicy {
    const headers = buildSecurityHeaders(apiOrigin)
    const headersWithoutProperty = [
      'Permissions-Policy',
      'Cross-Origin-Opener-Policy',
      'Cross-Origin-Resource-Policy',
    ] as const
    // CloudFront's headers replace headers of the same names from the bucket.
    const override = true
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName,
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          contentSecurityPolicy: headers['Content-Security-Policy'],
          override,
        },
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
        accessControlAllowOrigins: [headers['Access-Control-Allow-Origin']],
        accessControlAllowMethods: ['GET', 'HEAD'],
        accessControlAllowHeaders: ['*'],
        accessControlAllowCredentials: false,
        originOverride: override,
      },
      customHeadersBehavior: {
        customHeaders: headersWithoutProperty.map((header) => ({ header, value: headers[header], override })),
      },
    })
  }
}

/**
 * Creates an archive of files. CDK's function replaces the markers in the files when it uploads them. `Source.data`
 * would create an archive for each file, and the function starts the AWS CLI for each archive.
 */
const createSource = (files: readonly SiteFile[], markers: Readonly<Record<string, string>>): ISource => ({
  bind: (scope, context) => {
    const folder = FileSystem.mkdtemp('pet-adoption-reference-')
    for (const { path, body } of files) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, body)
    }
    const archive = Source.asset(folder).bind(scope, context)
    rmSync(folder, { recursive: true })
    return { ...archive, markers }
  },
})
