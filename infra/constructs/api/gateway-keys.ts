import { Duration, Stack } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { environmentVariables } from '../../../shared/environment-variables.ts'
import type { EnvironmentConfig, EnvironmentName } from '../../environments.ts'
import { OperationFunction } from '../functions/operation-function.ts'
import type { ServiceTables } from '../functions/table-access.ts'
import type { UsagePlans } from './usage-plans.ts'

/**
 * It waits most of the time. Measured: a run takes 77 MB and 0.1 s of a processor, and 135 MB and 0.3 s for the 10,000 keys
 * that API Gateway has room for.
 */
const memoryMegabytes = 256

export interface GatewayKeysProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
  readonly usagePlans: UsagePlans
}

/** Runs `functions/gateway-keys` every 15 minutes. No run waits for another: one that is late, or beside it, does no harm. */
export class GatewayKeys extends OperationFunction {
  constructor(scope: Construct, { environment, config, tables, usagePlans }: GatewayKeysProps) {
    super(scope, 'gateway-keys', {
      tables,
      config: { ...config, memoryMegabytes },
      timeoutSeconds: 600,
      environment: {
        [environmentVariables.environment]: environment,
        [environmentVariables.usagePlanIds]: Stack.of(scope).toJsonString(Object.fromEntries(usagePlans.ids)),
      },
    })
    const { partition, region } = Stack.of(this)
    const arn = (path: string) => `arn:${partition}:apigateway:${region}::${path}`
    const usagePlanKeys = usagePlans.ids.map(([, usagePlanId]) => arn(`/usageplans/${usagePlanId}/keys`))
    const ofEnvironment = (kind: 'RequestTag' | 'ResourceTag') => ({
      conditions: { StringEquals: { [`aws:${kind}/environment`]: environment } },
    })
    for (const statement of [
      { actions: ['apigateway:GET'], resources: [arn('/apikeys'), ...usagePlanKeys] },
      { actions: ['apigateway:POST'], resources: usagePlanKeys },
      // A key is created with its tags, for which API Gateway asks for a permission of its own.
      { actions: ['apigateway:POST'], resources: [arn('/apikeys')], ...ofEnvironment('RequestTag') },
      { actions: ['apigateway:PUT', 'apigateway:POST'], resources: [arn('/tags/*')], ...ofEnvironment('RequestTag') },
      { actions: ['apigateway:DELETE'], resources: [arn('/apikeys/*')], ...ofEnvironment('ResourceTag') },
    ]) {
      this.alias.addToRolePolicy(new PolicyStatement(statement))
    }
    // Lambda would run a failed one twice more.
    this.alias.configureAsyncInvoke({ retryAttempts: 0 })
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.minutes(15)),
      targets: [new LambdaFunction(this.handler)],
    })
  }
}
