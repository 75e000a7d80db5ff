import { Annotations, Aws, CfnResource, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import {
  AccessLevel,
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  S3OriginAccessControl,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { indexPath } from '../../reference/site.ts'
import { ReferenceHeaders, type ReferenceHeadersProps } from './reference-headers.ts'

export interface ReferenceHostingProps extends ReferenceHeadersProps {
  readonly description: string
  readonly logGroup: LogGroup
}

/** A private bucket behind CloudFront. */
export class ReferenceHosting extends Construct {
  readonly bucket: IBucket
  /** Without a final slash. */
  readonly url: string

  constructor(scope: Construct, id: string, { description, apiOrigin, logGroup }: ReferenceHostingProps) {
    super(scope, id)
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // Every deployment can upload the files again. CloudFormation deletes only empty buckets.
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
      // With exactOptionalPropertyTypes CDK's class does not satisfy its interface.
    }) as IBucket
    logDeletions(this, logGroup)
    const distribution = new Distribution(this, 'Distribution', {
      comment: description,
      defaultRootObject: indexPath,
      httpVersion: HttpVersion.HTTP2_AND_3,
      enableIpv6: true,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(this.bucket, {
          originAccessControl: new S3OriginAccessControl(this, 'Access', {
            // The name is unique in an account, over all Regions.
            originAccessControlName: `${Stack.of(this).stackName}-${Aws.REGION}`,
          }),
          // Without the permission to list, S3 responds 403 for a missing file.
          originAccessLevels: [AccessLevel.READ, AccessLevel.LIST],
        }),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
        compress: true,
        // Caches a file as its Cache-Control says, but for at least a second: a deployment needs no invalidation.
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: new ReferenceHeaders(this, 'Headers', { apiOrigin }).policy,
      },
      errorResponses: [
        {
          httpStatus: 404,
          responseHttpStatus: 404,
          responsePagePath: `/${indexPath}`,
          ttl: Duration.seconds(10),
        },
      ],
    })
    this.url = `https://${distribution.distributionDomainName}`
    this.#acknowledgeFindings(distribution)
  }

  #acknowledgeFindings(distribution: Distribution): void {
    Annotations.of(distribution).acknowledgeWarning(
      '@aws-cdk/aws-cloudfront-origins:listBucketSecurityRisk',
      'The root serves the page, so no request returns the list.',
    )
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'CloudFront alone reads the bucket, and each of its files is public there.',
    })
    const findings = {
      'AwsSolutions-CFR1': 'The API has no geographic restriction, so neither has its reference.',
      'AwsSolutions-CFR2': 'It serves only files, no request runs code, and AWS Shield Standard is always on.',
      'AwsSolutions-CFR3': 'The page is public and the same for everybody, so nobody needs a record of its readers.',
      'AwsSolutions-CFR4':
        "CloudFront's default domain fixes the minimum TLS version. No API key is sent to it: browsers call the API directly.",
    }
    for (const [id, reason] of Object.entries(findings)) Validations.of(distribution).acknowledge({ id, reason })
  }
}

/** Otherwise the function that empties the bucket would create a log group that nothing deletes. */
const logDeletions = (scope: Construct, { logGroupName }: LogGroup): void => {
  const handler = Stack.of(scope)
    .node.findChild('Custom::S3AutoDeleteObjectsCustomResourceProvider')
    .node.findChild('Handler')
  if (!(handler instanceof CfnResource)) throw new Error('CDK has moved the function that empties the bucket.')
  handler.addPropertyOverride('LoggingConfig', { LogGroup: logGroupName })
}
