import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FileSystem } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { BucketDeployment, CacheControl, type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment'
import { Construct } from 'constructs'
import type { SiteFile } from '../../reference/assets.ts'
import { cacheControl } from '../../reference/security-headers.ts'

export interface SiteUploadProps {
  readonly bucket: IBucket
  /** The text of a file may hold tokens. */
  readonly files: readonly SiteFile[]
  readonly logGroup: LogGroup
}

/**
 * Puts the files into the bucket, those for each content type and caching together: a `BucketDeployment` has
 * one of either for all of its files, and would guess the type by a list that knows no YAML.
 */
export class SiteUpload extends Construct {
  constructor(scope: Construct, id: string, { bucket, files, logGroup }: SiteUploadProps) {
    super(scope, id)
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    role.addToPolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }))
    role.addToPolicy(new PolicyStatement({ actions: ['s3:PutObject'], resources: [bucket.arnForObjects('*')] }))
    logGroup.grantWrite(role)

    const upload = (caching: SiteFile['caching']): readonly BucketDeployment[] =>
      [
        ...Map.groupBy(
          files.filter((file) => file.caching === caching),
          ({ contentType }) => contentType,
        ),
      ].map(
        ([contentType, alike]) =>
          new BucketDeployment(this, `${caching} ${contentType}`.replaceAll(/\W+/g, '-'), {
            destinationBucket: bucket,
            sources: alike.map((file) => readableBy(role, sourceOf(file))),
            contentType,
            cacheControl: [CacheControl.fromString(cacheControl[caching])],
            // The other uploads' files are there too, and those of former versions for the pages that are open.
            prune: false,
            logGroup,
            // CDK's own grants would let it delete files, and set how long they are retained.
            role: role.withoutPolicyUpdates(),
          }),
      )
    const immutable = upload('immutable')
    const revalidated = upload('revalidated')
    const all = [...immutable, ...revalidated]
    // One function carries out all uploads, with the layer of the first; CDK adds one for each.
    for (const { node } of all.slice(1)) node.tryRemoveChild('AwsCliLayer')
    for (const { node } of all) node.addDependency(role)
    // They name the others, so they come last.
    for (const { node } of revalidated) node.addDependency(...immutable)
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

/** A source of text may hold tokens, a folder any bytes. */
const sourceOf = ({ path, body }: SiteFile): ISource => {
  if (typeof body === 'string') return Source.data(path, body)
  return {
    bind: (scope, context) => {
      const folder = FileSystem.mkdtemp('site')
      try {
        mkdirSync(join(folder, dirname(path)), { recursive: true })
        writeFileSync(join(folder, path), body)
        return Source.asset(folder).bind(scope, context)
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  }
}
