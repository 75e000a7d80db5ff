import { Annotations, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import type { Construct } from 'constructs'
import { planNames } from '../../shared/api-keys/plans.ts'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { authorizerTimeoutSeconds } from '../../shared/timeouts.ts'
import { UserError } from '../command-line/user-error.ts'
import { GatewayKeys } from '../constructs/api/gateway-keys.ts'
import { PetAdoptionApi } from '../constructs/api/pet-adoption-api.ts'
import { reservedGatewayKey, UsagePlans } from '../constructs/api/usage-plans.ts'
import { OperationFunction } from '../constructs/functions/operation-function.ts'
import { authorizerAccess, operationAccess, type ServiceTables } from '../constructs/functions/table-access.ts'
import { saveQueries } from '../constructs/monitoring/access-log.ts'
import { ServiceAlarms } from '../constructs/monitoring/service-alarms.ts'
import { ServiceDashboard } from '../constructs/monitoring/service-dashboard.ts'
import { readContract, stageName } from '../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'

export interface ApiStackProps extends StackProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
}

/**
 * The API with its functions, and the alarms: some roll a release back, and must exist before it begins. With this stack
 * go the id of the REST API, which is in the public URL, and the usage plans, to which every key would have to be added
 * again, but no data.
 */
export class ApiStack extends Stack {
  readonly api: PetAdoptionApi

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    const { environment, config, tables } = props
    const { refusalsBeforeBan, firstBanSeconds, longestBanSeconds } = config.banPolicy
    const authorizer = new OperationFunction(this, 'authorizer', {
      ...{ config, tables, access: authorizerAccess },
      environment: {
        [environmentVariables.apiKeyPrefix]: config.apiKeyPrefix,
        [environmentVariables.reservedGatewayKey]: reservedGatewayKey(this.stackName),
        [environmentVariables.refusalsBeforeBan]: String(refusalsBeforeBan),
        [environmentVariables.firstBanSeconds]: String(firstBanSeconds),
        [environmentVariables.longestBanSeconds]: String(longestBanSeconds),
      },
      timeoutSeconds: authorizerTimeoutSeconds,
    })
    const unknownRoute = new OperationFunction(this, 'unknown-route', { config, tables, access: [] })
    const permissions = new Map(Object.entries(operationAccess))
    const operations = readContract().operations.map((operation) => {
      const access = permissions.get(operation.name)
      if (access !== undefined) {
        return [operation, new OperationFunction(this, operation.name, { config, tables, access })] as const
      }
      throw new UserError(
        `infra/constructs/functions/table-access.ts has no entry ${operation.name}: add one with the permissions of the operation.`,
      )
    })
    this.api = new PetAdoptionApi(this, 'Api', {
      config,
      operations: operations.map(([operation, { handler }]) => [operation, handler] as const),
      unknownRoute: unknownRoute.handler,
      authorizer: authorizer.handler,
    })
    const { restApi, accessLog, origin } = this.api
    const usagePlans = new UsagePlans(this, 'UsagePlans', restApi)
    const gatewayKeys = new GatewayKeys(this, { environment, config, usagePlans, tables })

    const serving = [authorizer, unknownRoute, ...operations.map(([, lambda]) => lambda)]
    const functions = [...serving, gatewayKeys]
    const watched = { environment, config, apiName: this.stackName, accessLog }
    const alarms = config.alarms ? new ServiceAlarms(this, 'Alarms', watched) : { all: [], ofRelease: [] }
    if (config.release === 'canary') this.#releaseAsCanary(serving, alarms.ofRelease)
    const functionLogs = functions.map(({ logGroup }) => logGroup)
    saveQueries(this, environment, accessLog, functionLogs)
    if (config.dashboard) {
      const handlers = functions.map(({ handler }) => handler)
      new ServiceDashboard(this, 'Dashboard', { ...watched, functions: handlers, tables, alarms: alarms.all })
    }
    if (environment === 'production' && config.alarms && config.alarmEmail === undefined) {
      const sentence =
        'Nobody receives the alarms of production: set alarmEmail in infra/environments.ts to an e-mail address, or to none if that is meant.'
      Annotations.of(this).addWarningV2('pet-adoption:alarm-email', sentence)
    }

    const output = (name: string, value: string) => new CfnOutput(this, name, { value })
    output('BaseUrl', `${origin}/${stageName}`)
    if (restApi.domainName !== undefined) {
      output('DomainTarget', restApi.domainName.domainNameAliasDomainName)
      output('DomainTargetHostedZoneId', restApi.domainName.domainNameAliasHostedZoneId)
    }
    output('AccessLogGroupName', accessLog.logGroupName)
    for (const plan of planNames) output(`${capitalized(plan)}UsagePlanId`, usagePlans.byPlan[plan].usagePlanId)
    for (const { node, alias, logGroup } of functions) {
      const words = node.id.split('-').map(capitalized).join('')
      output(`${words}FunctionName`, alias.lambda.functionName)
      output(`${words}LogGroupName`, logGroup.logGroupName)
    }
    // Exported by hand, as CloudFormation deletes no export that another stack still imports: the reference stack imports
    // the id only while there is no domain.
    this.exportValue(restApi.restApiId)
  }

  /**
   * Moves a tenth of each function's traffic to a new version, and the rest five minutes later. An alarm in that time moves
   * all traffic back, and CloudFormation rolls the deployment back.
   */
  #releaseAsCanary(functions: readonly OperationFunction[], alarms: readonly Alarm[]): void {
    const application = new LambdaApplication(this, 'Releases')
    for (const { node, alias } of functions) {
      new LambdaDeploymentGroup(this, `release-${node.id}`, {
        application,
        alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [...alarms],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      })
    }
  }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
