import { Duration, Stack } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { environmentVariables } from '../../../shared/environment-variables.ts'
import { gatewayKeysTimeoutSeconds } from '../../../shared/timeouts.ts'
import type { EnvironmentConfig, EnvironmentName } from '../../environments.ts'
import { ServiceFunction } from '../functions/service-function.ts'
import type { ServiceTables } from '../functions/table-access.ts'
import { deriveUnlimitedGatewayKey, type UsagePlans } from './usage-plans.ts'

/**
 * Memory of the function, which waits most of the time. Measured: a run takes 77 MB and 0.1 s of a processor; with the
 * 10,000 keys that API Gateway has room for, 135 MB and 0.3 s.
 */
const memoryMegabytes = 256

interface GatewayKeysProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
  readonly usagePlans: UsagePlans
}

/**
 * Runs `functions/gateway-keys` every 15 minutes. It makes the API keys of API Gateway, called gateway keys, follow the
 * table of the service's own keys. A run that is late, or that overlaps another run, does no harm.
 */
export class GatewayKeys extends ServiceFunction {
  constructor(scope: Construct, { environment, config, tables, usagePlans }: GatewayKeysProps) {
    super(scope, 'gateway-keys', {
      tables,
      config: {
        ...config,
        memoryMegabytes,
        // One instance is enough: its timeout ends a scheduled run before the next one begins. By default none is
        // reserved, because a new account may have only ten instances, and can reserve none of them.
        ...(config.reservedConcurrency !== undefined && { reservedConcurrency: 1 }),
      },
      timeoutSeconds: gatewayKeysTimeoutSeconds,
      environment: {
        [environmentVariables.environment]: environment,
        // The function checks that API Gateway has this key, whose value is no secret (usage-plans.ts).
        [environmentVariables.unlimitedGatewayKey]: deriveUnlimitedGatewayKey(),
        [environmentVariables.usagePlanIds]: Stack.of(scope).toJsonString(Object.fromEntries(usagePlans.ids)),
      },
    })

    this.#allowKeyManagement(environment, usagePlans)

    // Lambda retries a failed invocation twice by default. The next scheduled run does the same work.
    this.alias.configureAsyncInvoke({ retryAttempts: 0 })
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.minutes(15)),
      // `handler` is the alias, whose retries are set above.
      targets: [new LambdaFunction(this.handler)],
    })
  }

  /**
   * Allows the function to list API keys, to add keys to the usage plans, to create keys with the tag of its
   * environment, and to delete keys that have this tag. The list has all API keys of the account and the Region, with
   * their values: IAM has no condition that narrows it ("Actions, resources, and condition keys for Amazon API Gateway
   * Management" in the Service Authorization Reference).
   */
  #allowKeyManagement(environment: EnvironmentName, usagePlans: UsagePlans): void {
    const { partition, region } = Stack.of(this)
    const apiGateway = `arn:${partition}:apigateway:${region}::`
    const allKeys = `${apiGateway}/apikeys`
    // The tags of a key are a resource of their own, whose ARN ends with that of the key. In the request that creates
    // a key an asterisk stands for its id, as recorded on AWS (mattclay/aws-terminator#284). `${*}` matches only this
    // asterisk, so the function cannot tag a key that exists ("IAM policy elements: Variables and tags").
    const tagsOfNewKey = `${apiGateway}/tags/arn%3A${partition}%3Aapigateway%3A${region}%3A%3A%2Fapikeys%2F\${*}`
    const keysOfUsagePlans = [...usagePlans.ids.values()].map((id) => `${apiGateway}/usageplans/${id}/keys`)
    const requestHasTag = { StringEquals: { 'aws:RequestTag/environment': environment } }
    const resourceHasTag = { StringEquals: { 'aws:ResourceTag/environment': environment } }

    const statements = [
      new PolicyStatement({
        actions: ['apigateway:GET'],
        resources: [allKeys, ...keysOfUsagePlans],
      }),
      new PolicyStatement({
        actions: ['apigateway:POST'],
        resources: keysOfUsagePlans,
      }),
      new PolicyStatement({
        actions: ['apigateway:POST'],
        resources: [allKeys],
        conditions: requestHasTag,
      }),
      new PolicyStatement({
        actions: ['apigateway:PUT'],
        resources: [tagsOfNewKey],
        conditions: requestHasTag,
      }),
      new PolicyStatement({
        actions: ['apigateway:DELETE'],
        resources: [`${allKeys}/*`],
        conditions: resourceHasTag,
      }),
    ]
    for (const statement of statements) this.alias.addToRolePolicy(statement)
  }
}
