import { Annotations, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { planNames } from '../../shared/api-keys/plans.ts'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { authorizerTimeoutSeconds } from '../../shared/timeouts.ts'
import { GatewayKeys } from '../constructs/api/gateway-keys.ts'
import { PetAdoptionApi } from '../constructs/api/pet-adoption-api.ts'
import { reservedGatewayKey, UsagePlans } from '../constructs/api/usage-plans.ts'
import { CanaryReleases } from '../constructs/functions/canary-releases.ts'
import { OperationFunction, type OperationFunctionProps } from '../constructs/functions/operation-function.ts'
import { authorizerAccess, operationAccess, type ServiceTables } from '../constructs/functions/table-access.ts'
import { AlarmTopic } from '../constructs/monitoring/alarm-topic.ts'
import { SavedQueries } from '../constructs/monitoring/saved-queries.ts'
import { ServiceAlarms } from '../constructs/monitoring/service-alarms.ts'
import { ServiceDashboard } from '../constructs/monitoring/service-dashboard.ts'
import type { ContractOperation } from '../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'

export interface ApiStackProps extends StackProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
  readonly operations: readonly ContractOperation[]
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
    const { environment, config, operations } = props
    if (environment === 'production' && config.alarms && config.alarmEmail === undefined) {
      const sentence =
        'Nobody receives the alarms of production: set alarmEmail in infra/environments.ts to an e-mail address, or to none if that is meant.'
      Annotations.of(this).addWarningV2('pet-adoption:alarm-email', sentence)
    }

    const add = (name: string, rest: Pick<OperationFunctionProps, 'access' | 'environment' | 'timeoutSeconds'>) =>
      new OperationFunction(this, name, { name, config, tables: props.tables, ...rest })
    const authorizer = add('authorizer', {
      access: authorizerAccess,
      environment: {
        [environmentVariables.apiKeyPrefix]: config.apiKeyPrefix,
        [environmentVariables.reservedGatewayKey]: reservedGatewayKey(this.stackName),
        [environmentVariables.refusalsBeforeBan]: String(config.banPolicy.refusalsBeforeBan),
        [environmentVariables.firstBanSeconds]: String(config.banPolicy.firstBanSeconds),
        [environmentVariables.longestBanSeconds]: String(config.banPolicy.longestBanSeconds),
      },
      timeoutSeconds: authorizerTimeoutSeconds,
    })
    const unknownRoute = add('unknown-route', { access: [] })
    const functions = operations.map(
      (operation) => [operation, add(operation.name, { access: operationAccess[operation.name] ?? [] })] as const,
    )
    this.api = new PetAdoptionApi(this, 'Api', {
      config,
      operations,
      functions: new Map(functions.map(([operation, { handler }]) => [operation, handler])),
      unknownRoute: unknownRoute.handler,
      authorizer: authorizer.handler,
    })
    const usagePlans = new UsagePlans(this, 'UsagePlans', { restApi: this.api.restApi })

    const gatewayKeys = new GatewayKeys(this, { environment, config, usagePlans, tables: props.tables })
    const lambdas = [authorizer, unknownRoute, ...functions.map(([, lambda]) => lambda)]
    const { logGroup } = this.api.accessLog
    const alarms = this.#addAlarms(props, authorizer)
    if (config.release === 'canary') {
      const releases = new CanaryReleases(this, 'Releases')
      for (const { name, alias } of lambdas) releases.add(name, alias, alarms?.ofRelease ?? [])
    }
    const functionLogs = [...lambdas, gatewayKeys].map((lambda) => lambda.logGroup)
    new SavedQueries(this, 'Queries', { environment, accessLog: logGroup, functionLogs })
    if (config.dashboard) {
      new ServiceDashboard(this, 'Dashboard', {
        name: `pet-adoption-${environment}`,
        apiName: this.stackName,
        accessLog: logGroup,
        functions: lambdas.map(({ handler }) => handler),
        tables: props.tables,
        alarms: alarms?.all ?? [],
      })
    }

    new CfnOutput(this, 'BaseUrl', { value: this.api.baseUrl })
    // Exported by hand, as CloudFormation deletes no export that another stack still imports: the reference stack imports
    // the id only while there is no domain.
    this.exportValue(this.api.restApi.restApiId)
    for (const plan of planNames) {
      new CfnOutput(this, `${capitalized(plan)}UsagePlanId`, { value: usagePlans.byPlan[plan].usagePlanId })
    }
    new CfnOutput(this, 'AccessLogGroupName', { value: logGroup.logGroupName })
    for (const lambda of [...lambdas, gatewayKeys]) {
      const name = lambda.name.split('-').map(capitalized).join('')
      new CfnOutput(this, `${name}FunctionName`, { value: lambda.alias.lambda.functionName })
      new CfnOutput(this, `${name}LogGroupName`, { value: lambda.logGroup.logGroupName })
    }
  }

  #addAlarms({ environment, config }: ApiStackProps, authorizer: OperationFunction): ServiceAlarms | undefined {
    const { restApi, accessLog } = this.api
    // Without alarms it stays, with its subscriptions, for those that come back.
    const { topic } = new AlarmTopic(this, 'Alarms', { email: config.alarmEmail })
    if (!config.alarms) return undefined
    return new ServiceAlarms(this, 'ServiceAlarms', {
      environment,
      config,
      apiName: restApi.restApiName,
      topic,
      accessLog: accessLog.logGroup,
      authorizer: authorizer.handler,
    })
  }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
