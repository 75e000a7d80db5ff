import { Annotations, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import { planNames } from '../../shared/api-keys/plans.ts'
import type { Clock } from '../../shared/clock.ts'
import { environmentVariables } from '../../shared/environment-variables.ts'
import { authorizerTimeoutSeconds } from '../../shared/timeouts.ts'
import { accountThrottle } from '../constructs/api/account-throttle.ts'
import { PetAdoptionApi } from '../constructs/api/pet-adoption-api.ts'
import { warnOfSunsets } from '../constructs/api/sunset-warnings.ts'
import { reservedGatewayKey, UsagePlans } from '../constructs/api/usage-plans.ts'
import { CanaryReleases } from '../constructs/functions/canary-releases.ts'
import { OperationFunction, type OperationFunctionProps } from '../constructs/functions/operation-function.ts'
import { authorizerAccess, operationAccess, type ServiceTables } from '../constructs/functions/table-access.ts'
import { AlarmTopic } from '../constructs/monitoring/alarm-topic.ts'
import { Probe } from '../constructs/monitoring/probe.ts'
import { SavedQueries } from '../constructs/monitoring/saved-queries.ts'
import { ServiceAlarms } from '../constructs/monitoring/service-alarms.ts'
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
 * The API with its functions, and the alarms: some roll a release back, and must exist before it begins. With this stack
 * go the id of the REST API, which is in the public URL, and the usage plans, to which every key would have to be added
 * again, but no data.
 */
export class ApiStack extends Stack {
  readonly api: PetAdoptionApi
  /** Of the alarms and of the budget. */
  readonly topic: ITopic
  readonly alarmNames: readonly string[]

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    const { environment, config, operations, clock } = props
    warnOfSunsets(this, operations, clock)
    if (environment === 'production' && config.alarmEmail === undefined) {
      const sentence =
        'Nobody receives the alarms of production: set production.alarmEmail in infra/settings.json to an e-mail address, or to none if that is meant.'
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

    const lambdas = [authorizer, unknownRoute, ...functions.map(([, lambda]) => lambda)]
    const { logGroup } = this.api.accessLog
    this.topic = new AlarmTopic(this, 'Alarms', { email: config.alarmEmail, hasKey: config.topicKey }).topic
    const alarms = this.#addAlarms(props, authorizer)
    this.alarmNames = alarms?.names ?? []
    if (config.release === 'canary') {
      const releases = new CanaryReleases(this, 'Releases')
      for (const { name, alias } of lambdas) releases.add(name, alias, alarms?.ofRelease ?? [])
    }
    const functionLogs = lambdas.map((lambda) => lambda.logGroup)
    new SavedQueries(this, 'Queries', { environment, accessLog: logGroup, functionLogs })

    new CfnOutput(this, 'BaseUrl', { value: this.api.baseUrl })
    // Exported by hand, as CloudFormation deletes no export that another stack still imports: a later version may stop
    // using one of these. The reference stack imports the id only while there is no domain.
    for (const value of [this.api.restApi.restApiId, this.topic.topicArn, logGroup.logGroupName])
      this.exportValue(value)
    for (const plan of planNames) {
      new CfnOutput(this, `${capitalized(plan)}UsagePlanId`, { value: usagePlans.byPlan[plan].usagePlanId })
    }
    new CfnOutput(this, 'AccessLogGroupName', { value: logGroup.logGroupName })
    for (const lambda of lambdas) {
      const name = lambda.name.split('-').map(capitalized).join('')
      new CfnOutput(this, `${name}FunctionName`, { value: lambda.alias.lambda.functionName })
      new CfnOutput(this, `${name}LogGroupName`, { value: lambda.logGroup.logGroupName })
    }
  }

  #addAlarms({ environment, config, tables }: ApiStackProps, authorizer: OperationFunction): ServiceAlarms | undefined {
    const { baseUrl, restApi, accessLog } = this.api
    const probe = config.probe ? new Probe(this, 'Probe', { config, tables, baseUrl }).handler : undefined
    if (!config.alarms) return undefined
    return new ServiceAlarms(this, 'ServiceAlarms', {
      ...{ environment, config, probe },
      apiName: restApi.restApiName,
      topic: this.topic,
      accessLog: accessLog.logGroup,
      authorizer: authorizer.handler,
    })
  }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
