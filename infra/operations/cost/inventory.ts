import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { planNames } from '../../../shared/api-keys/plans.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { EnvironmentName } from '../../environments.ts'

/** What an environment deploys of what costs something. */
export interface Inventory {
  readonly functionMegabytes: number
  readonly isTraced: boolean
  readonly hasAccessLog: boolean
  readonly logDays: number
  /** The metrics that alarms watch: what an alarm costs goes by them. */
  readonly alarmMetrics: number
  /** The metrics that are made from logs. */
  readonly customMetrics: number
  readonly dashboards: number
  readonly firewallLists: number
  readonly firewallRules: number
  readonly encryptionKeys: number
  readonly hasPointInTimeRecovery: boolean
}

/** A resource of a template. Its properties are as unknown as a file's content. */
export interface Resource {
  readonly Type: string
  readonly Properties?: Readonly<Record<string, unknown>>
}

/**
 * Synthesizes an environment, and reads its templates, so that no figure here can differ from what is deployed.
 *
 * @param tracing whether the operator turns tracing on
 */
export const readInventory = (environment: EnvironmentName, tracing = false): Inventory => {
  const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-cost-'))
  try {
    synthesize(directory, tracing ? { [`${environment}.tracing`]: 'on' } : {})
    const assembly = join(directory, `assembly-${environment}`)
    const resources = readdirSync(assembly)
      // What the API reference costs goes by its readers, not by requests to the API.
      .filter((name) => name.endsWith('.template.json') && !name.startsWith(`${environment}reference`))
      // The CDK writes these files.
      .map((name) => JSON.parse(readFileSync(join(assembly, name), 'utf8')) as { Resources: Record<string, Resource> })
      .flatMap(({ Resources }) => Object.values(Resources))
    return takeInventory(resources)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const projectFolder = fileURLToPath(new URL('../../../', import.meta.url))

const synthesize = (directory: string, operatorOptions: Readonly<Record<string, string>>): void => {
  // Without the functions' bundles, the assets and the CDK's checks, which change no template and take most of the time.
  const context = JSON.stringify({
    'aws:cdk:bundling-stacks': [],
    'aws:cdk:disable-asset-staging': true,
    ...operatorOptions,
  })
  const env = { ...process.env, CDK_OUTDIR: directory, CDK_CONTEXT_JSON: context, CDK_VALIDATION: 'false' }
  try {
    execFileSync(process.execPath, ['infra/app.ts'], { cwd: projectFolder, env, stdio: 'pipe' })
  } catch {
    throw new UserError('The environment cannot be synthesized; "npm run synth" shows why.')
  }
}

export const takeInventory = (resources: readonly Resource[]): Inventory => {
  const of = (type: string) =>
    resources.filter(({ Type }) => Type === `AWS::${type}`).map(({ Properties = {} }) => Properties)
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
  const stages = of('ApiGateway::Stage')
  return {
    functionMegabytes: Math.max(0, ...of('Lambda::Function').map(({ MemorySize }) => Number(MemorySize ?? 128))),
    isTraced: stages.some(({ TracingEnabled }) => TracingEnabled === true),
    hasAccessLog: stages.some(({ AccessLogSetting }) => AccessLogSetting !== undefined),
    logDays: Math.max(0, ...of('Logs::LogGroup').map(({ RetentionInDays }) => Number(RetentionInDays ?? 0))),
    alarmMetrics: sum(of('CloudWatch::Alarm').map(({ Metrics }) => statisticsIn(Metrics))),
    customMetrics: sum(of('Logs::MetricFilter').map(({ MetricTransformations }) => metricsOf(MetricTransformations))),
    dashboards: of('CloudWatch::Dashboard').length,
    firewallLists: of('WAFv2::WebACL').length,
    firewallRules: sum(of('WAFv2::WebACL').map(({ Rules }) => listOf(Rules).length)),
    encryptionKeys: of('KMS::Key').length,
    hasPointInTimeRecovery: of('DynamoDB::Table').some(
      ({ PointInTimeRecoverySpecification }) =>
        objectOf(PointInTimeRecoverySpecification)['PointInTimeRecoveryEnabled'],
    ),
  }
}

/** An alarm of a calculation has the metrics that go into it, any other alarm one. */
const statisticsIn = (metrics: unknown): number =>
  Math.max(1, listOf(metrics).filter((metric) => objectOf(metric)['MetricStat'] !== undefined).length)

/** A metric by plan is one for each plan. */
const metricsOf = (transformations: unknown): number =>
  listOf(transformations)
    .map((transformation) => (objectOf(transformation)['Dimensions'] === undefined ? 1 : planNames.length))
    .reduce((all, one) => all + one, 0)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
