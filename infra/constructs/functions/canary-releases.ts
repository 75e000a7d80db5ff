import { Stack, Validations } from 'aws-cdk-lib'
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'

/**
 * Moves a tenth of an alias's traffic to a new version, and the rest five minutes later. An alarm in that time moves all
 * traffic back, and CloudFormation rolls the deployment back.
 */
export class CanaryReleases extends Construct {
  readonly #application: LambdaApplication
  readonly #role: Role

  constructor(scope: Construct, id: string) {
    super(scope, id)
    this.#application = new LambdaApplication(this, 'Application')
    this.#role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') })
    this.#role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }))
    Validations.of(this.#role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'CodeDeploy reads the state of all alarms of a release in one call, and changes none.',
    })
  }

  add(name: string, alias: Alias, alarms: readonly IAlarm[]): void {
    const { functionArn } = alias.lambda
    // The part of AWSCodeDeployRoleForLambdaLimited that a release without hooks and without a revision in S3 needs,
    // for this function, its aliases and its versions: CodeDeploy reads the provisioned concurrency of both versions.
    this.#role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
        resources: [functionArn, `${functionArn}:*`],
      }),
    )
    const { 'Fn::GetAtt': functionReference } = Stack.of(this).resolve(functionArn)
    Validations.of(this.#role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${functionReference.join('.')}>:*]`,
      reason: 'A version has a number that only its deployment gives it.',
    })
    const group = new LambdaDeploymentGroup(this, name, {
      application: this.#application,
      alias,
      // Keeps CDK from adding that managed policy.
      role: this.#role.withoutPolicyUpdates(),
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [...alarms],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    })
    // A release must not begin before its role has all permissions.
    group.node.addDependency(this.#role)
  }
}
