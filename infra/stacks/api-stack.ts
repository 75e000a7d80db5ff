import { CfnOutput, CfnResource, Stack } from 'aws-cdk-lib'
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { authorizerTimeoutSeconds } from '../../shared/timeouts.ts'
import { GatewayKeys } from '../constructs/api/gateway-keys.ts'
import { PetAdoptionApi } from '../constructs/api/pet-adoption-api.ts'
import { deriveUnlimitedGatewayKey, UsagePlans } from '../constructs/api/usage-plans.ts'
import { ServiceFunction } from '../constructs/functions/service-function.ts'
import type { ServiceTables } from '../constructs/functions/table-access.ts'
import { saveQueries } from '../constructs/monitoring/logs.ts'
import { ServiceAlarms } from '../constructs/monitoring/service-alarms.ts'
import { ServiceDashboard } from '../constructs/monitoring/service-dashboard.ts'
import { type ContractOperation, readContract, stageName } from '../contract/contract.ts'
import { addWarnings } from './check-settings.ts'
import type { ServiceStackProps } from './data-stack.ts'

interface ApiStackProps extends ServiceStackProps {
  readonly tables: ServiceTables
  /** Whether this release moves all traffic at once, whatever the settings say. */
  readonly skipsCanary: boolean
}

/**
 * The API with its functions and alarms. The alarms are in this stack because some of them roll a release back, and
 * must exist before the release begins.
 *
 * Deleting the stack loses no data. It loses the id of the REST API, which is in the public URL, and the usage plans,
 * to which every API Gateway key would have to be added again.
 */
export class ApiStack extends Stack {
  /** Scheme and host of the API. */
  readonly origin: string

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    const { environment, config, tables } = props

    const authorizer = this.#createAuthorizer(props)
    const unknownRoute = new ServiceFunction(this, 'unknown-route', { config, tables })
    const operations = new Map<ContractOperation, ServiceFunction>()
    for (const operation of readContract().operations) {
      operations.set(operation, new ServiceFunction(this, operation.name, { config, tables }))
    }

    const api = new PetAdoptionApi(this, 'Api', { config, operations, unknownRoute, authorizer })
    this.origin = api.origin
    const usagePlans = new UsagePlans(this, 'UsagePlans', api.restApi)
    const gatewayKeys = new GatewayKeys(this, { environment, config, usagePlans, tables })

    const requestFunctions = [authorizer, unknownRoute, ...operations.values()]
    this.#addMonitoring(props, api, requestFunctions, gatewayKeys)
    this.#addOutputs(api, [...requestFunctions, gatewayKeys])
    addWarnings(this, props)

    // The reference stack imports the id only while no domain is in use. The export is explicit, so that it stays in
    // either case: CloudFormation deletes no export that another stack still imports.
    this.exportValue(api.restApi.restApiId)
  }

  #createAuthorizer({ config, tables }: ApiStackProps): ServiceFunction {
    const { refusalsBeforeBan, firstBanSeconds, longestBanSeconds } = config.banPolicy
    // The setting is for one operation, and the authorizer runs for the requests of all of them.
    const { reservedConcurrency: _ofOneOperation, ...authorizerConfig } = config
    return new ServiceFunction(this, 'authorizer', {
      config: authorizerConfig,
      tables,
      environment: {
        [environmentVariables.apiKeyPrefix]: config.apiKeyPrefix,
        [environmentVariables.unlimitedGatewayKey]: deriveUnlimitedGatewayKey(),
        [environmentVariables.refusalsBeforeBan]: String(refusalsBeforeBan),
        [environmentVariables.firstBanSeconds]: String(firstBanSeconds),
        [environmentVariables.longestBanSeconds]: String(longestBanSeconds),
      },
      timeoutSeconds: authorizerTimeoutSeconds,
    })
  }

  /** Adds the saved queries and, if the settings turn them on, alarms, canary releases and dashboard. */
  #addMonitoring(
    { environment, config, tables, skipsCanary }: ApiStackProps,
    { accessLog }: PetAdoptionApi,
    requestFunctions: readonly ServiceFunction[],
    gatewayKeys: ServiceFunction,
  ): void {
    const functions = [...requestFunctions, gatewayKeys]
    const functionLogs = functions.map(({ logGroup }) => logGroup)
    saveQueries(this, environment, accessLog, functionLogs)

    const monitoring = { environment, config, apiName: this.stackName, accessLog, gatewayKeys: gatewayKeys.handler }
    const alarms = config.alarms ? new ServiceAlarms(this, 'Alarms', monitoring) : undefined
    if (alarms !== undefined) new CfnOutput(this, 'AlarmTopicArn', { value: alarms.topicArn })
    if (config.release === 'canary') this.#addCanaries(requestFunctions, alarms?.rollbackAlarms ?? [], skipsCanary)
    if (config.dashboard) {
      new ServiceDashboard(this, 'Dashboard', {
        ...monitoring,
        functions: functions.map(({ handler }) => handler),
        tables,
        alarms: alarms?.allAlarms ?? [],
      })
    }
  }

  /**
   * Adds a deployment group of CodeDeploy for each function. A release moves a tenth of the function's traffic to the
   * new version, and the rest five minutes later. An alarm in that time moves all traffic back, and CloudFormation
   * rolls the release back.
   */
  #addCanaries(functions: readonly ServiceFunction[], alarms: readonly IAlarm[], skipsCanary: boolean): void {
    const application = new LambdaApplication(this, 'Releases')
    const role = new Role(this, 'ReleaseRole', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited')],
    })
    for (const { node, alias } of functions) {
      new LambdaDeploymentGroup(this, `release-${node.id}`, {
        application,
        // Each group would add the same managed policy to the role once more.
        role: role.withoutPolicyUpdates(),
        alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [...alarms],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      })
      // Without the policy that the group adds to the alias, CloudFormation itself moves the alias, at once. The group
      // stays for the next release.
      const resource = alias.node.defaultChild
      if (skipsCanary && CfnResource.isCfnResource(resource)) resource.addDeletionOverride('UpdatePolicy')
    }
  }

  #addOutputs({ restApi, accessLog, origin }: PetAdoptionApi, functions: readonly ServiceFunction[]): void {
    new CfnOutput(this, 'BaseUrl', { value: `${origin}/${stageName}` })
    const { domainName } = restApi
    if (domainName !== undefined) {
      new CfnOutput(this, 'DomainTarget', { value: domainName.domainNameAliasDomainName })
      new CfnOutput(this, 'DomainTargetHostedZoneId', { value: domainName.domainNameAliasHostedZoneId })
    }
    new CfnOutput(this, 'AccessLogGroupName', { value: accessLog.logGroupName })

    // Two outputs for each function, for example GatewayKeysFunctionName and GatewayKeysLogGroupName.
    for (const { node, alias, logGroup } of functions) {
      const prefix = toPascalCase(node.id)
      new CfnOutput(this, `${prefix}FunctionName`, { value: alias.lambda.functionName })
      new CfnOutput(this, `${prefix}LogGroupName`, { value: logGroup.logGroupName })
    }
  }
}

/** Converts the name of a function for an output: `gateway-keys` becomes `GatewayKeys`. */
const toPascalCase = (name: string): string => {
  const words = name.split('-')
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}
