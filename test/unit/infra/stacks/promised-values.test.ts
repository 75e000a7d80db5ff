/**
 * The values of the templates that the documents promise. They are written out, so that a change of a value in the code
 * fails a test, and the documents are changed too.
 */
import { readFileSync } from 'node:fs'
import type { Template } from 'aws-cdk-lib/assertions'
import { expect, it } from 'vitest'
import { presets } from '../../../../infra/environments.ts'
import { findProperties, synthesizeTemplates, type Templates } from '../../../fixtures/environment/templates.ts'

/** Joins the different values of a property: one value if all resources have the same. */
const joinValues = (values: readonly unknown[]): string => [...new Set(values.map(String))].join(' and ')

/** Reads the promised values of the functions by their names. */
const readFunctions = (api: Template) => {
  const functions = findProperties(api, 'AWS::Lambda::Function')
  // The description of a function ends with the name of its folder.
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
    'seconds until the timeout of an operation': joinValues(operations.map(({ Timeout }) => Timeout)),
    'seconds until the timeout of the authorizer': authorizer.Timeout,
    'seconds until the timeout of gateway-keys': gatewayKeys.Timeout,
    'megabytes of a function that serves requests': joinValues(requestFunctions.map(({ MemorySize }) => MemorySize)),
    'megabytes of gateway-keys': gatewayKeys.MemorySize,
    'runtime of functions': joinValues(functions.map(({ Runtime, Architectures }) => `${Runtime} on ${Architectures}`)),
    'level of function logs': joinValues(
      functions.flatMap(({ LoggingConfig }) => [LoggingConfig.ApplicationLogLevel, LoggingConfig.SystemLogLevel]),
    ),
  }
}

/** Reads the promised values of the API by their names. Only production has a firewall and gradual releases. */
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
    'requests per second to a method': throttle.ThrottlingRateLimit,
    'burst of a method': throttle.ThrottlingBurstLimit,
    'seconds that a decision of the authorizer is kept': authorizer.AuthorizerResultTtlInSeconds,
    'schedule of gateway-keys': schedule.ScheduleExpression,
    'retries of a run of gateway-keys': asyncInvoke.MaximumRetryAttempts,
    'release of a new version': joinValues(releases.map((group) => group.DeploymentConfigName)) || 'all at once',
    'requests from one address': Limit ?? 'any number',
    'seconds in which an address is counted': EvaluationWindowSec ?? 'none',
    'days that logs are kept': joinValues(
      findProperties(api, 'AWS::Logs::LogGroup').map(({ RetentionInDays }) => RetentionInDays),
    ),
    ...readFunctions(api),
  }
}

/** Reads the promised values of the tables by their names. */
const readData = (data: Template) => {
  const tables = findProperties(data, 'AWS::DynamoDB::Table')
  const isRecoverable = tables.map(
    ({ PointInTimeRecoverySpecification }) => PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
  )
  const indexes = tables.flatMap(({ GlobalSecondaryIndexes = [] }) => GlobalSecondaryIndexes)
  return {
    'fields that indexes have': joinValues(indexes.map(({ Projection }) => Projection.ProjectionType)),
    'billing of tables': joinValues(tables.map(({ BillingMode }) => BillingMode)),
    'deletion protection of tables': joinValues(tables.map((table) => table.DeletionProtectionEnabled)),
    'point-in-time recovery of tables': joinValues(isRecoverable),
  }
}

const readValues = ({ data, api }: Templates) => ({ ...readApi(api), ...readData(data) })

const valuesOfBoth = {
  'refusals before a ban': '100',
  'seconds of the first ban': '60',
  'seconds of the longest ban': '3600',
  'seconds until the timeout of an operation': '10',
  'seconds until the timeout of the authorizer': 5,
  'seconds until the timeout of gateway-keys': 600,
  'megabytes of a function that serves requests': '1024',
  'megabytes of gateway-keys': 256,
  'runtime of functions': 'nodejs24.x on arm64',
  'level of function logs': 'WARN',
  'endpoint of the API': 'REGIONAL',
  'methods that a throttle applies to': '* /*',
  'seconds that a decision of the authorizer is kept': 0,
  'schedule of gateway-keys': 'rate(15 minutes)',
  'retries of a run of gateway-keys': 0,
  'days that logs are kept': '30',
  'fields that indexes have': 'ALL',
  'billing of tables': 'PAY_PER_REQUEST',
}

const valuesOfStaging = {
  ...valuesOfBoth,
  'prefix of API keys': 'pet_test_',
  'requests per second to a method': 20,
  'burst of a method': 2_500,
  'release of a new version': 'all at once',
  'requests from one address': 'any number',
  'seconds in which an address is counted': 'none',
  'deletion protection of tables': 'false',
  'point-in-time recovery of tables': 'false',
}

const valuesOfProduction = {
  ...valuesOfBoth,
  'prefix of API keys': 'pet_live_',
  'requests per second to a method': 2_000,
  'burst of a method': 4_000,
  'release of a new version': 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
  'requests from one address': 20_000,
  'seconds in which an address is counted': 300,
  'deletion protection of tables': 'true',
  'point-in-time recovery of tables': 'true',
}

const staging = synthesizeTemplates('staging')
const production = synthesizeTemplates('production')

it('the templates of staging have the promised values', () => {
  expect(readValues(staging)).toEqual(valuesOfStaging)
})

it('the templates of production have the promised values', () => {
  expect(readValues(production)).toEqual(valuesOfProduction)
})

const environments = [
  { name: 'production', templates: production },
  { name: 'small', templates: synthesizeTemplates('production', presets.small) },
  { name: 'staging', templates: staging },
] as const

/** Counts the parts of an environment that cost money whatever its traffic is, by their rows in infra/COSTS.md. */
const countPaidParts = (templates: Templates): Readonly<Record<string, number>> => {
  const find = (type: string) => Object.values(templates).flatMap((template) => findProperties(template, type))
  // An alarm that calculates lists its metrics, and the calculation among them. Any other alarm watches one metric and
  // has no list, so a list of one stands in.
  const alarmMetrics = find('AWS::CloudWatch::Alarm')
    .flatMap(({ Metrics = [{ MetricStat: {} }] }) => Metrics)
    .filter(({ MetricStat }) => MetricStat !== undefined)
  const firewalls = find('AWS::WAFv2::WebACL')
  return {
    'metric that an alarm watches': alarmMetrics.length,
    'metric from the access log': find('AWS::Logs::MetricFilter').length,
    dashboard: find('AWS::CloudWatch::Dashboard').length,
    'web access list of the firewall': firewalls.length,
    'rule of the firewall': firewalls.flatMap(({ Rules }) => Rules).length,
    'table, which costs only what it stores': find('AWS::DynamoDB::Table').length,
  }
}

/** The rows of the fixed costs in infra/COSTS.md: a part, the price of one, and the number in each environment. */
const costRows = [
  ...readFileSync('infra/COSTS.md', 'utf8').matchAll(
    /^\| (?<part>.+) \| [\d.]+ \| (?<production>\d+) \| (?<small>\d+) \| (?<staging>\d+) \|$/gm,
  ),
]

it.each(environments)(
  'infra/COSTS.md counts each paid part of $name that the templates have',
  ({ name, templates }) => {
    const documented = costRows.map(({ groups = {} }) => [groups['part'], Number(groups[name])])

    expect(countPaidParts(templates)).toEqual(Object.fromEntries(documented))
  },
)

it('no environment has a KMS key or a NAT gateway, whose monthly prices infra/COSTS.md leaves out', () => {
  expect(JSON.stringify(environments)).not.toMatch(/AWS::KMS::Key|AWS::EC2::NatGateway/)
})
