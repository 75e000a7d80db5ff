import { Validations } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { EnvironmentConfig } from '../../environments.ts'

/** Why neither the stage nor the functions are traced. */
export const untraced =
  'Any caller can demand a trace of each request, at a price; the operator turns tracing on when it is needed.'

/** What cdk-nag finds in the REST API and is meant to be so, and why. */
export const acknowledgeApiFindings = (restApi: RestApi, { firewall, tracing }: EnvironmentConfig): void => {
  const acknowledge = (id: string, reason: string) => Validations.of(restApi).acknowledge({ id, reason })
  acknowledge(
    'AwsSolutions-APIG2',
    'The operations validate each request against the contract, and say in the error body what to change.',
  )
  acknowledge(
    'AwsSolutions-APIG6',
    'The access log has a line for every request. Execution logs would double it, in a log group whose retention no template sets.',
  )
  acknowledge('AwsSolutions-COG4', 'Callers have API keys, which the Lambda authorizer checks, and no user accounts.')
  acknowledge(
    'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    'API Gateway refuses a role for its logs that may do less than this policy.',
  )
  if (firewall === undefined) {
    acknowledge(
      'AwsSolutions-APIG3',
      'No firewall is configured here: the throttle of each method limits the cost of a flood.',
    )
  }
  if (!tracing) acknowledge('Serverless-APIGWXrayEnabled', untraced)
}
