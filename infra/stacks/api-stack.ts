import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { planNames } from '../../shared/api-keys/plans.ts'
import type { Clock } from '../../shared/clock.ts'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { accountThrottle } from '../constructs/api/account-throttle.ts'
import { PetAdoptionApi } from '../constructs/api/pet-adoption-api.ts'
import { warnOfSunsets } from '../constructs/api/sunset-warnings.ts'
import { reservedGatewayKey, UsagePlans } from '../constructs/api/usage-plans.ts'
import { CanaryReleases } from '../constructs/functions/canary-releases.ts'
import { OperationFunction, type OperationFunctionProps } from '../constructs/functions/operation-function.ts'
import { authorizerAccess, operationAccess, type ServiceTables } from '../constructs/functions/table-access.ts'
import { AlarmTopic } from '../constructs/monitoring/alarm-topic.ts'
import { ApiAlarms } from '../constructs/monitoring/api-alarms.ts'
import { FunctionAlarms } from '../constructs/monitoring/function-alarms.ts'
import { RequestMetrics } from '../constructs/monitoring/request-metrics.ts'
import type { AlarmScope } from '../constructs/monitoring/service-alarm.ts'
import type { ContractOperation } from '../contract/contract.ts'
import type { EnvironmentConfig, EnvironmentName } from '../environments.ts'

export interface ApiStackProps extends StackProps {
  readonly environment: EnvironmentName
  readonly config: EnvironmentConfig
  readonly tables: ServiceTables
  readonly operations: readonly ContractOperation[]
  readonly clock: Clock
  /** Where the stack will be deployed, as far as it is known. */
  readonly deployingRegion: string | undefined
}

/**
 * The API with its functions, and the alarms that roll a release back, which must exist before it begins. With this stack
 * go the id of the REST API, which is in the public URL, and the usage plans, to which every key would have to be added
 * again, but no data.
 */
export class ApiStack extends Stack {
  readonly alarms: AlarmScope
  readonly api: PetAdoptionApi

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    const { environment, config, operations, clock } = props
    warnOfSunsets(this, operations, clock)

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
      timeoutSeconds: 5,
    })
    const unknownRoute = add('unknown-route', { access: [] })
    const functions = operations.map(
      (operation) => [operation, add(operation.name, { access: operationAccess[operation.name] ?? [] })] as const,
    )
    const throttle = accountThrottle(props.deployingRegion)
    this.api = new PetAdoptionApi(this, 'Api', {
      config,
      accountThrottle: throttle,
      operations,
      functions: new Map(functions.map(([operation, { handler }]) => [operation, handler])),
      unknownRoute: unknownRoute.handler,
      authorizer: authorizer.handler,
    })
    const usagePlans = new UsagePlans(this, 'UsagePlans', {
      restApi: this.api.restApi,
      accountThrottle: throttle,
    })

    const log = this.api.accessLog.logGroup
    new RequestMetrics(this, 'RequestMetrics', { environment, log, operations })
    const { topic } = new AlarmTopic(this, 'Alarms', { email: config.alarmEmail })
    this.alarms = { environment, topic, runbookUrl: config.runbookUrl }
    this.#addAlarmsAndReleases(config, [authorizer, unknownRoute, ...functions.map(([, lambda]) => lambda)])

    new CfnOutput(this, 'BaseUrl', { value: this.api.baseUrl })
    // Exported by hand, as CloudFormation deletes no export that another stack still imports: a later version may stop
    // using one of these. The reference stack imports the id only while there is no domain.
    for (const value of [this.api.restApi.restApiId, topic.topicArn]) this.exportValue(value)
    for (const plan of planNames) {
      new CfnOutput(this, `${capitalized(plan)}UsagePlanId`, { value: usagePlans.byPlan[plan].usagePlanId })
    }
  }

  /** The alarms on the API and its functions, and the canary releases that they roll back. */
  #addAlarmsAndReleases({ release }: EnvironmentConfig, functions: readonly OperationFunction[]): void {
    const ofApi = new ApiAlarms(this, 'ApiAlarms', { ...this.alarms, apiName: this.api.restApi.restApiName })
    const releases = release === 'canary' ? new CanaryReleases(this, 'Releases') : undefined
    for (const { name, alias } of functions) {
      const { ofRelease } = new FunctionAlarms(this, `${name}-alarms`, { ...this.alarms, name, alias })
      const ofRequests = name === 'authorizer' ? [ofApi.serverErrors, ofApi.authorizerFailures] : [ofApi.serverErrors]
      releases?.add(name, alias, [...ofRequests, ...ofRelease])
    }
  }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
