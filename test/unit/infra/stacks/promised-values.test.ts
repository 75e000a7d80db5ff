/**
 * The values of the templates that the documents promise, written out, so that a change of one in the sources is
 * noticed, and with it the documents.
 */
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { localStage } from '../../../../infra/environments.ts'
import { readStacks } from '../../../../infra/local/template/stacks.ts'
import { sharedAssembly } from '../../../fixtures/local-environment.ts'
import { findProperties, findResources, synthesizeTemplates } from '../../../fixtures/templates.ts'

type EnvironmentTemplates = Readonly<Record<'data' | 'api', Template>>

/** Reads the templates that `npm start` runs. */
const readLocalTemplates = (): EnvironmentTemplates => {
  const templates = new Map(
    readStacks(sharedAssembly, localStage).map(({ name, template }) => [name, Template.fromJSON(template)]),
  )
  const readTemplate = (stack: string): Template => {
    const template = templates.get(`pet-adoption-${localStage}-${stack}`)
    if (template === undefined) throw new Error(`The assembly has no stack ${stack}.`)
    return template
  }
  return { data: readTemplate('data'), api: readTemplate('api') }
}

/** Joins the different values of a property: one value if all resources have the same. */
const joinValues = (values: readonly unknown[]): string => [...new Set(values.map(String))].join(' and ')

const readFunctions = (api: Template) => {
  const functions = findProperties(api, 'AWS::Lambda::Function')
  const findFunction = (name: string) => functions.find(({ Description }) => Description.endsWith(`: ${name}`))
  const authorizer = findFunction('authorizer')
  const gatewayKeys = findFunction('gateway-keys')
  const operations = functions.filter((lambda) => lambda !== authorizer && lambda !== gatewayKeys)
  const requestFunctions = [...operations, authorizer]
  const { Variables } = authorizer.Environment
  return {
    'refusals before a ban': Variables.REFUSALS_BEFORE_BAN,
    'seconds of the first ban': Variables.FIRST_BAN_SECONDS,
    'seconds of the longest ban': Variables.LONGEST_BAN_SECONDS,
    'prefix of API keys': Variables.API_KEY_PREFIX,
    'timeout of an operation': joinValues(operations.map(({ Timeout }) => Timeout)),
    'timeout of the authorizer': authorizer.Timeout,
    'timeout of gateway-keys': gatewayKeys.Timeout,
    'memory of a function that serves requests': joinValues(requestFunctions.map(({ MemorySize }) => MemorySize)),
    'memory of gateway-keys': gatewayKeys.MemorySize,
    'runtime of functions': joinValues(functions.map(({ Runtime, Architectures }) => `${Runtime} on ${Architectures}`)),
    'level of function logs': joinValues(
      functions.flatMap(({ LoggingConfig }) => [LoggingConfig.ApplicationLogLevel, LoggingConfig.SystemLogLevel]),
    ),
  }
}

const readUsagePlans = (api: Template) => {
  const describePlan = (name: string): string => {
    const usagePlans = findProperties(api, 'AWS::ApiGateway::UsagePlan')
    const { Throttle, Quota } = usagePlans.find(({ UsagePlanName }) => UsagePlanName.endsWith(`-${name}`))
    return `${Throttle.RateLimit} a second, burst ${Throttle.BurstLimit}, ${Quota.Limit} a ${Quota.Period}`
  }
  return {
    'usage plan free': describePlan('free'),
    'usage plan pro': describePlan('pro'),
    'usage plan business': describePlan('business'),
  }
}

const readApi = (api: Template) => {
  const [stage] = findProperties(api, 'AWS::ApiGateway::Stage')
  const [throttle] = stage.MethodSettings
  const [authorizer] = findProperties(api, 'AWS::ApiGateway::Authorizer')
  const [schedule] = findProperties(api, 'AWS::Events::Rule')
  const [asyncInvoke] = findProperties(api, 'AWS::Lambda::EventInvokeConfig')
  const releases = findProperties(api, 'AWS::CodeDeploy::DeploymentGroup')
  const [firewall] = findProperties(api, 'AWS::WAFv2::WebACL')
  const { Limit, EvaluationWindowSec } = firewall?.Rules[0].Statement.RateBasedStatement ?? {}
  const [restApi] = findProperties(api, 'AWS::ApiGateway::RestApi')
  return {
    'endpoint of the API': joinValues(restApi.EndpointConfiguration.Types),
    'methods that a throttle applies to': `${throttle.HttpMethod} ${throttle.ResourcePath}`,
    'throttle of a method': throttle.ThrottlingRateLimit,
    'burst of a method': throttle.ThrottlingBurstLimit,
    'seconds that a decision of the authorizer is kept': authorizer.AuthorizerResultTtlInSeconds,
    'schedule of gateway-keys': schedule.ScheduleExpression,
    'retries of a run of gateway-keys': asyncInvoke.MaximumRetryAttempts,
    'release of a new version': joinValues(releases.map(({ DeploymentConfigName }) => DeploymentConfigName)),
    'requests from one address': Limit ?? 'any number',
    'seconds in which an address is counted': EvaluationWindowSec ?? 'none',
    'days that logs are kept': joinValues(
      findProperties(api, 'AWS::Logs::LogGroup').map(({ RetentionInDays }) => RetentionInDays),
    ),
    ...readFunctions(api),
    ...readUsagePlans(api),
  }
}

const readData = (data: Template) => {
  const tables = findProperties(data, 'AWS::DynamoDB::Table')
  const deletionPolicies = Object.values(findResources(data, 'AWS::DynamoDB::Table')).map(
    (table) => table['DeletionPolicy'],
  )
  const isRecoverable = tables.map(
    ({ PointInTimeRecoverySpecification }) => PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
  )
  const expiringAttributes = tables.flatMap(
    ({ TimeToLiveSpecification }) => TimeToLiveSpecification?.AttributeName ?? [],
  )
  return {
    'billing of tables': joinValues(tables.map(({ BillingMode }) => BillingMode)),
    'deletion protection of tables': joinValues(tables.map((table) => table.DeletionProtectionEnabled)),
    'point-in-time recovery of tables': joinValues(isRecoverable),
    'tables of a stack that is deleted': joinValues(deletionPolicies),
    'attribute by which items expire': joinValues(expiringAttributes),
  }
}

const readValues = ({ data, api }: EnvironmentTemplates) => ({ ...readApi(api), ...readData(data) })

interface PromisedValue {
  readonly name: keyof ReturnType<typeof readValues>
  readonly staging: string | number
  readonly production: string | number
}

const bothEnvironments = <Value>(value: Value) => ({ staging: value, production: value })

const promisedValues: readonly PromisedValue[] = [
  { name: 'refusals before a ban', ...bothEnvironments('100') },
  { name: 'seconds of the first ban', ...bothEnvironments('60') },
  { name: 'seconds of the longest ban', ...bothEnvironments('3600') },
  { name: 'prefix of API keys', staging: 'pet_test_', production: 'pet_live_' },
  { name: 'timeout of an operation', ...bothEnvironments('10') },
  { name: 'timeout of the authorizer', ...bothEnvironments(5) },
  { name: 'timeout of gateway-keys', ...bothEnvironments(600) },
  { name: 'memory of a function that serves requests', ...bothEnvironments('1024') },
  { name: 'memory of gateway-keys', ...bothEnvironments(256) },
  { name: 'runtime of functions', ...bothEnvironments('nodejs24.x on arm64') },
  { name: 'level of function logs', ...bothEnvironments('WARN') },
  { name: 'usage plan free', ...bothEnvironments('1 a second, burst 125, 1000 a DAY') },
  { name: 'usage plan pro', ...bothEnvironments('5 a second, burst 625, 10000 a DAY') },
  { name: 'usage plan business', ...bothEnvironments('16.666666666666668 a second, burst 2084, 100000 a DAY') },
  { name: 'endpoint of the API', ...bothEnvironments('REGIONAL') },
  { name: 'methods that a throttle applies to', ...bothEnvironments('* /*') },
  { name: 'throttle of a method', staging: 20, production: 2_000 },
  { name: 'burst of a method', staging: 2_500, production: 4_000 },
  { name: 'seconds that a decision of the authorizer is kept', ...bothEnvironments(0) },
  { name: 'schedule of gateway-keys', ...bothEnvironments('rate(15 minutes)') },
  { name: 'retries of a run of gateway-keys', ...bothEnvironments(0) },
  { name: 'release of a new version', staging: '', production: 'CodeDeployDefault.LambdaCanary10Percent5Minutes' },
  { name: 'requests from one address', staging: 'any number', production: 20_000 },
  { name: 'seconds in which an address is counted', staging: 'none', production: 300 },
  { name: 'days that logs are kept', ...bothEnvironments('30') },
  { name: 'billing of tables', ...bothEnvironments('PAY_PER_REQUEST') },
  { name: 'deletion protection of tables', staging: 'false', production: 'true' },
  { name: 'point-in-time recovery of tables', staging: 'false', production: 'true' },
  { name: 'tables of a stack that is deleted', staging: 'Delete', production: 'Retain' },
  { name: 'attribute by which items expire', ...bothEnvironments('expiresAt') },
]

describe('the values of the templates', () => {
  const staging = readValues(synthesizeTemplates('staging'))
  const production = readValues(synthesizeTemplates('production'))

  it('every value of a template is listed', () => {
    expect(promisedValues.map(({ name }) => name).toSorted()).toEqual(Object.keys(staging).toSorted())
  })

  it.each(promisedValues)('the value of $name in staging is $staging', (promised) => {
    expect(staging[promised.name]).toBe(promised.staging)
  })

  it.each(promisedValues)('the value of $name in production is $production', (promised) => {
    expect(production[promised.name]).toBe(promised.production)
  })

  it('the local environment has the values of staging', () => {
    expect(readValues(readLocalTemplates())).toEqual(staging)
  })
})
