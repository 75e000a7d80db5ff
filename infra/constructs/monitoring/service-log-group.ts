import { RemovalPolicy } from 'aws-cdk-lib'
import { LogGroup, type LogGroupProps } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { EnvironmentConfig } from '../../environments.ts'

/** A log group that stays as the data of its environment does. A first deployment that fails leaves none behind. */
export class ServiceLogGroup extends LogGroup {
  constructor(scope: Construct, id: string, { data, logRetentionDays }: EnvironmentConfig, props: LogGroupProps = {}) {
    const removalPolicy = data === 'protected' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY
    super(scope, id, { retention: logRetentionDays, removalPolicy, ...props })
  }
}
