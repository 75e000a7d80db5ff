import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { BucketDeployment, CacheControl, type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment'
import { Construct } from 'constructs'
import { cacheControl } from '../../reference/security-headers.ts'
import type { SiteFile } from '../../reference/site-options.ts'

export interface SiteUploadProps {
  readonly bucket: IBucket
  /** The text of a file may contain tokens. */
  readonly files: readonly SiteFile[]
  readonly logGroup: LogGroup
}

/**
 * Uploads the files, with one `BucketDeployment` for each content type: it has one for all of its files.
 */
export class SiteUpload extends Construct {
  constructor(scope: Construct, id: string, { bucket, files, logGroup }: SiteUploadProps) {
    super(scope, id)
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    role.addToPolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }))
    role.addToPolicy(new PolicyStatement({ actions: ['s3:PutObject'], resources: [bucket.arnForObjects('*')] }))
    logGroup.grantWrite(role)

    const all = [...Map.groupBy(files, (file) => file.contentType)].map(
      ([contentType, alike]) =>
        new BucketDeployment(this, contentType.replaceAll(/\W+/g, '-'), {
          destinationBucket: bucket,
          sources: alike.map(({ path, body }) => readableBy(role, Source.data(path, body))),
          contentType,
          cacheControl: [CacheControl.fromString(cacheControl)],
          // Keeps the files of the other uploads.
          prune: false,
          logGroup,
          // CDK's grants would allow it to delete files, and to change their retention.
          role: role.withoutPolicyUpdates(),
        }),
    )
    // One function runs all uploads, with the layer of the first; CDK adds a layer for each.
    for (const { node } of all.slice(1)) node.tryRemoveChild('AwsCliLayer')
    for (const { node } of all) node.addDependency(role)
  }
}

/** The source, with the permission to read it. */
const readableBy = (role: Role, source: ISource): ISource => ({
  bind: (scope, context) => {
    const config = source.bind(scope, context)
    role.addToPolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: [config.bucket.arnForObjects('*')] }))
    return config
  },
})
