import { RemovalPolicy, Stack } from 'aws-cdk-lib'
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import type { ServiceStackProps } from './data-stack.ts'

/**
 * The role with which API Gateway writes the access logs of all APIs of an account in a Region.
 *
 * The role is in a stack of its own, without protection, because API Gateway may refuse a role that is seconds old.
 * Then only the first deployment of this small stack fails, before anything else exists, and the same command repeats
 * it.
 *
 * Each environment sets the role. When an environment is destroyed, the role stays: the other environment, and other
 * APIs, would lose their logs.
 */
export class AccountStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props)
    const role = new Role(this, 'LogsRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs')],
    })
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn })
    for (const resource of [role, account]) resource.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
  }
}
