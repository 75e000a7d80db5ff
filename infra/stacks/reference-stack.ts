import { CfnOutput, RemovalPolicy, Stack, type StackProps, Token, Validations } from 'aws-cdk-lib'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { ReferenceHosting } from '../constructs/reference/reference-hosting.ts'
import { SiteUpload } from '../constructs/reference/site-upload.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'
import { buildSite } from '../reference/site.ts'

export interface ReferenceStackProps extends StackProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  /** The base URL of the API, without a final slash. It may be a token. */
  readonly baseUrl: string
}

/** The API reference as a web page, and the contract with the base URL of this environment. */
export class ReferenceStack extends Stack {
  constructor(scope: Construct, id: string, props: ReferenceStackProps) {
    super(scope, id, props)
    const { environment, config, baseUrl } = props
    const { contactUrl } = config
    const logGroup = new LogGroup(this, 'Logs', {
      retention: config.logRetentionDays,
      // They record deployments only, as CloudFormation's events do.
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const hosting = new ReferenceHosting(this, 'Hosting', {
      description: `Pet Adoption Service, ${environment}: the API reference`,
      apiOrigin: originOf(baseUrl),
      logGroup,
    })
    new SiteUpload(this, 'Upload', {
      bucket: hosting.bucket,
      files: buildSite({ baseUrl, environment, ...(contactUrl !== undefined && { contactUrl }) }),
      logGroup,
    })
    new CfnOutput(this, 'ReferenceUrl', { value: hosting.url })
    this.#acknowledgeFindings()
  }

  #acknowledgeFindings(): void {
    const acknowledge = (reason: string, ...ids: readonly string[]) =>
      Validations.of(this).acknowledge(...ids.map((id) => ({ id, reason })))
    acknowledge(
      'CDK chooses the runtime of its function, which runs in deployments only.',
      ...['AwsSolutions-L1', 'Serverless-LambdaLatestVersion', 'Serverless-LambdaTracing'],
    )
    acknowledge('CloudFormation waits for its response, and fails the deployment without one.', 'Serverless-LambdaDLQ')
    acknowledge('It writes every file of the bucket.', 'AwsSolutions-IAM5[Resource::<HostingBucketDB108620.Arn>/*]')
    const named = (value: string, pseudoParameter: string) =>
      Token.isUnresolved(value) ? `<${pseudoParameter}>` : value
    const partition = named(this.partition, 'AWS::Partition')
    const place = `${named(this.account, 'AWS::AccountId')}-${named(this.region, 'AWS::Region')}`
    acknowledge(
      "It reads from CDK's bucket of assets, whose names change with each release.",
      `AwsSolutions-IAM5[Resource::arn:${partition}:s3:::cdk-hnb659fds-assets-${place}/*]`,
    )
  }
}

/** `URL` does not read tokens. */
const originOf = (baseUrl: string): string => {
  const [origin] = /^https:\/\/[^/]+/.exec(baseUrl) ?? []
  if (origin === undefined) throw new Error(`The base URL ${baseUrl} does not begin with https://.`)
  return origin
}
