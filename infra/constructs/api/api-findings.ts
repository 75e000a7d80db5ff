import { Validations } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { EnvironmentConfig } from '../../environments.ts'

/** Why the stage and the functions have no tracing. */
export const untraced =
  'With tracing any caller can force a trace, which has a price, for each request. The operator turns it on when needed.'

/** Acknowledges what cdk-nag finds in the REST API, with the reason for each. */
export const acknowledgeApiFindings = (restApi: RestApi, { firewall, tracing }: EnvironmentConfig): void => {
  const acknowledge = (id: string, reason: string) => Validations.of(restApi).acknowledge({ id, reason })
  acknowledge(
    'AwsSolutions-APIG2',
    'The functions validate each request against the contract, and the error body says what to change.',
  )
  acknowledge(
    'AwsSolutions-APIG6',
    'The access log has a line for every request. Execution logs would repeat it, in a log group whose retention no template sets.',
  )
  acknowledge('AwsSolutions-COG4', 'Callers have API keys, which the Lambda authorizer checks, and no user accounts.')
  acknowledge(
    'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    'API Gateway rejects a role for its logs with fewer permissions than this policy has.',
  )
  if (firewall === undefined) {
    acknowledge(
      'AwsSolutions-APIG3',
      'No firewall is configured here: the throttle of each method limits the cost of a flood.',
    )
  }
  if (!tracing) acknowledge('Serverless-APIGWXrayEnabled', untraced)
}
