import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { Construct } from 'constructs'
import type { OperationFunction } from './operation-function.ts'

export interface CanaryReleasesProps {
  readonly functions: readonly OperationFunction[]
  readonly alarms: readonly Alarm[]
}

/**
 * Moves a tenth of each function's traffic to a new version, and the rest five minutes later. An alarm in that time moves
 * all traffic back, and CloudFormation rolls the deployment back.
 */
export class CanaryReleases extends Construct {
  constructor(scope: Construct, id: string, { functions, alarms }: CanaryReleasesProps) {
    super(scope, id)
    const application = new LambdaApplication(this, 'Application')
    for (const { name, alias } of functions) {
      new LambdaDeploymentGroup(this, name, {
        application,
        alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [...alarms],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      })
    }
  }
}
