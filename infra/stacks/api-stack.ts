import { Annotations, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { planNames } from '../../shared/api-keys/plans.ts'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { authorizerTimeoutSeconds } from '../../shared/timeouts.ts'
import { UserError } from '../command-line/user-error.ts'
import { GatewayKeys } from '../constructs/api/gateway-keys.ts'
import { PetAdoptionApi } from '../constructs/api/pet-adoption-api.ts'
import { reservedGatewayKey, UsagePlans } from '../constructs/api/usage-plans.ts'
import { CanaryReleases } from '../constructs/functions/canary-releases.ts'
import { OperationFunction, type OperationFunctionProps } from '../constructs/functions/operation-function.ts'
import { authorizerAccess, operationAccess, type ServiceTables } from '../constructs/functions/table-access.ts'
import { SavedQueries } from '../constructs/monitoring/saved-queries.ts'
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
    const add = (name: string, rest: Pick<OperationFunctionProps, 'access' | 'environment' | 'timeoutSeconds'>) =>
      new OperationFunction(this, name, { name, config, tables, ...rest })
    const authorizer = add('authorizer', {
      access: authorizerAccess,
      environment: {
        [environmentVariables.apiKeyPrefix]: config.apiKeyPrefix,
        [environmentVariables.reservedGatewayKey]: reservedGatewayKey(this.stackName),
        [environmentVariables.refusalsBeforeBan]: String(refusalsBeforeBan),
        [environmentVariables.firstBanSeconds]: String(firstBanSeconds),
        [environmentVariables.longestBanSeconds]: String(longestBanSeconds),
      },
      timeoutSeconds: authorizerTimeoutSeconds,
    })
    const unknownRoute = add('unknown-route', { access: [] })
    const access = new Map(Object.entries(operationAccess))
    const operations = readContract().operations.map((operation) => {
      const allowed = access.get(operation.name)
      if (allowed !== undefined) return [operation, add(operation.name, { access: allowed })] as const
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
    const usagePlans = new UsagePlans(this, 'UsagePlans', { restApi })
    const gatewayKeys = new GatewayKeys(this, { environment, config, usagePlans, tables })

    const serving = [authorizer, unknownRoute, ...operations.map(([, lambda]) => lambda)]
    const functions = [...serving, gatewayKeys]
    const apiName = this.stackName
    const alarms = config.alarms
      ? new ServiceAlarms(this, 'Alarms', { environment, config, apiName, accessLog })
      : { all: [], ofRelease: [] }
    if (config.release === 'canary') {
      new CanaryReleases(this, 'Releases', { functions: serving, alarms: alarms.ofRelease })
    }
    new SavedQueries(this, 'Queries', { environment, accessLog, functionLogs: functions.map((one) => one.logGroup) })
    if (config.dashboard) {
      const handlers = functions.map(({ handler }) => handler)
      const shown = { functions: handlers, tables, alarms: alarms.all }
      new ServiceDashboard(this, 'Dashboard', { environment, apiName, accessLog, ...shown })
    }
    if (environment === 'production' && config.alarms && config.alarmEmail === undefined) {
      const sentence =
        'Nobody receives the alarms of production: set alarmEmail in infra/environments.ts to an e-mail address, or to none if that is meant.'
      Annotations.of(this).addWarningV2('pet-adoption:alarm-email', sentence)
    }

    new CfnOutput(this, 'BaseUrl', { value: `${origin}/${stageName}` })
    new CfnOutput(this, 'AccessLogGroupName', { value: accessLog.logGroupName })
    for (const plan of planNames) {
      new CfnOutput(this, `${capitalized(plan)}UsagePlanId`, { value: usagePlans.byPlan[plan].usagePlanId })
    }
    for (const { name, alias, logGroup } of functions) {
      const words = name.split('-').map(capitalized).join('')
      new CfnOutput(this, `${words}FunctionName`, { value: alias.lambda.functionName })
      new CfnOutput(this, `${words}LogGroupName`, { value: logGroup.logGroupName })
    }
    // Exported by hand, as CloudFormation deletes no export that another stack still imports: the reference stack imports
    // the id only while there is no domain.
    this.exportValue(restApi.restApiId)
  }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
