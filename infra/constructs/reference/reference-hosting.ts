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

/** A bucket that only CloudFront reads, and CloudFront before it. */
export class ReferenceHosting extends Construct {
  readonly bucket: IBucket
  /** Without a slash at its end. */
  readonly url: string

  constructor(scope: Construct, id: string, { description, apiOrigin, logGroup }: ReferenceHostingProps) {
    super(scope, id)
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // Every deployment makes the files again. CloudFormation deletes no bucket that holds any.
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
      // CDK's declarations of the two differ in `undefined`, which `exactOptionalPropertyTypes` tells apart.
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
            // An account has these of all Regions together.
            originAccessControlName: `${Stack.of(this).stackName}-${Aws.REGION}`,
          }),
          // To whom may not list a bucket, S3 answers 403 for what is not there.
          originAccessLevels: [AccessLevel.READ, AccessLevel.LIST],
        }),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
        compress: true,
        // Keeps a file for as long as its Cache-Control says, but at least a second: a deployment needs no invalidation.
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
      'The root is the page, so nobody gets the list.',
    )
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'CloudFront alone reads the bucket, and each of its files is public there.',
    })
    const findings = {
      'AwsSolutions-CFR1': 'Whoever may call the API, wherever they are, may read how.',
      'AwsSolutions-CFR2':
        'Files alone are behind it, nothing runs for a request, and AWS Shield Standard is always on.',
      'AwsSolutions-CFR3': 'The page is public and the same for everybody. Who reads it is not to be kept.',
      'AwsSolutions-CFR4':
        "Under CloudFront's own name the oldest TLS cannot be chosen; the page takes no key over to it, browsers call the API itself.",
    }
    for (const [id, reason] of Object.entries(findings)) Validations.of(distribution).acknowledge({ id, reason })
  }
}

/** The function that empties the bucket before its deletion would else make a log group that nothing deletes. */
const logDeletions = (scope: Construct, { logGroupName }: LogGroup): void => {
  const handler = Stack.of(scope)
    .node.findChild('Custom::S3AutoDeleteObjectsCustomResourceProvider')
    .node.findChild('Handler')
  if (!(handler instanceof CfnResource)) throw new Error('The function that empties the bucket is not where it was.')
  handler.addPropertyOverride('LoggingConfig', { LogGroup: logGroupName })
}
