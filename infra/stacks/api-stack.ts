import { Annotations, CfnOutput, Stack } from 'aws-cdk-lib'
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import type { Construct } from 'constructs'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { authorizerTimeoutSeconds } from '../../shared/timeouts.ts'
import { GatewayKeys } from '../constructs/api/gateway-keys.ts'
import { PetAdoptionApi } from '../constructs/api/pet-adoption-api.ts'
import { reservedGatewayKey, UsagePlans } from '../constructs/api/usage-plans.ts'
import { OperationFunction } from '../constructs/functions/operation-function.ts'
import type { ServiceTables } from '../constructs/functions/table-access.ts'
import { saveQueries } from '../constructs/monitoring/logs.ts'
import { ServiceAlarms } from '../constructs/monitoring/service-alarms.ts'
import { ServiceDashboard } from '../constructs/monitoring/service-dashboard.ts'
import { readContract, stageName } from '../contract/contract.ts'
import type { ServiceStackProps } from './data-stack.ts'

export interface ApiStackProps extends ServiceStackProps {
  readonly tables: ServiceTables
}

/**
 * The API with its functions, and the alarms: some roll a release back, and must exist before it begins. With this stack
 * go the id of the REST API, which is in the public URL, and the usage plans, to which every key would have to be added
 * again, but no data.
 */
export class ApiStack extends Stack {
  /** Scheme and host of the API. */
  readonly origin: string

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    const { environment, config, tables } = props
    const { refusalsBeforeBan, firstBanSeconds, longestBanSeconds } = config.banPolicy
    const authorizer = new OperationFunction(this, 'authorizer', {
      config,
      tables,
      environment: {
        [environmentVariables.apiKeyPrefix]: config.apiKeyPrefix,
        [environmentVariables.reservedGatewayKey]: reservedGatewayKey(this.stackName),
        [environmentVariables.refusalsBeforeBan]: String(refusalsBeforeBan),
        [environmentVariables.firstBanSeconds]: String(firstBanSeconds),
        [environmentVariables.longestBanSeconds]: String(longestBanSeconds),
      },
      timeoutSeconds: authorizerTimeoutSeconds,
    })
    const unknownRoute = new OperationFunction(this, 'unknown-route', { config, tables })
    const operations = readContract().operations.map(
      (operation) => [operation, new OperationFunction(this, operation.name, { config, tables })] as const,
    )
    const api = new PetAdoptionApi(this, 'Api', { config, operations, unknownRoute, authorizer })
    const { restApi, accessLog, origin } = api
    this.origin = origin
    const usagePlans = new UsagePlans(this, 'UsagePlans', restApi)
    const gatewayKeys = new GatewayKeys(this, { environment, config, usagePlans, tables })

    const serving = [authorizer, unknownRoute, ...operations.map(([, lambda]) => lambda)]
    const functions = [...serving, gatewayKeys]
    const functionLogs = functions.map(({ logGroup }) => logGroup)
    saveQueries(this, environment, accessLog, functionLogs)
    const watched = { environment, config, apiName: this.stackName, accessLog }
    const { all, ofRelease } = config.alarms ? new ServiceAlarms(this, 'Alarms', watched) : { all: [], ofRelease: [] }
    if (config.release === 'canary') this.#releaseAsCanary(serving, ofRelease)
    if (config.dashboard) {
      const handlers = functions.map(({ handler }) => handler)
      new ServiceDashboard(this, 'Dashboard', { ...watched, functions: handlers, tables, alarms: all })
    }
    if (environment === 'production' && config.alarms && config.alarmEmail === undefined) {
      Annotations.of(this).addWarningV2(
        'pet-adoption:alarm-email',
        'Nobody receives the alarms of production: set alarmEmail in infra/environments.ts to an e-mail address, or to none if that is meant.',
      )
    }

    const output = (name: string, value: string) => new CfnOutput(this, name, { value })
    output('BaseUrl', `${origin}/${stageName}`)
    if (restApi.domainName !== undefined) {
      output('DomainTarget', restApi.domainName.domainNameAliasDomainName)
      output('DomainTargetHostedZoneId', restApi.domainName.domainNameAliasHostedZoneId)
    }
    output('AccessLogGroupName', accessLog.logGroupName)
    for (const { node, alias, logGroup } of functions) {
      const name = node.id.replaceAll(/(?:^|-)(.)/g, (_, letter) => letter.toUpperCase())
      output(`${name}FunctionName`, alias.lambda.functionName)
      output(`${name}LogGroupName`, logGroup.logGroupName)
    }
    // Exported by hand, as CloudFormation deletes no export that another stack still imports: the reference stack imports
    // the id only while there is no domain.
    this.exportValue(restApi.restApiId)
  }

  /**
   * Moves a tenth of each function's traffic to a new version, and the rest five minutes later. An alarm in that time moves
   * all traffic back, and CloudFormation rolls the deployment back.
   */
  #releaseAsCanary(functions: readonly OperationFunction[], alarms: readonly IAlarm[]): void {
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
