import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../app.ts'
import { readAssembly, type Stack } from '../../synthesis/assembly.ts'
import { isObject, type JsonObject } from '../../synthesis/json.ts'
import type { SetUp } from './cost-command.ts'

/** The deployed resources of an environment that cost something. */
export type Inventory = ReturnType<typeof takeInventory>

/** Synthesizes an environment, and reads its templates, so that no figure here can differ from what is deployed. */
export const readInventory = ({ environment, config }: Pick<SetUp, 'environment' | 'config'>): Inventory => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-cost-'))
  try {
    createApp({
      outputDirectory: folder,
      configs: { [environment]: { alarmEmail: 'none', ...config } },
      context: withoutAssets,
    }).synth()
    return takeInventory(readAssembly(folder, environment))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The bundles and assets change no template, and take most of the time. */
const withoutAssets = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true } as const

export const takeInventory = (stacks: readonly Stack[]) => {
  const resources = stacks
    // What the API reference costs depends on its readers, not on requests to the API.
    .filter(({ name }) => !name.endsWith('-reference'))
    .flatMap(({ name, resources }) =>
      // The audit has no line of a request.
      [...resources.values()].filter(({ type }) => !name.endsWith('-data') || type !== 'AWS::Logs::LogGroup'),
    )
  const of = (type: string) =>
    resources.filter((resource) => resource.type === `AWS::${type}`).map(({ properties }) => properties)
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
  const stages = of('ApiGateway::Stage')
  return {
    functionMegabytes: Math.max(0, ...of('Lambda::Function').map(({ MemorySize }) => Number(MemorySize ?? 128))),
    isTraced: stages.some(({ TracingEnabled }) => TracingEnabled === true),
    hasAccessLog: stages.some(({ AccessLogSetting }) => AccessLogSetting !== undefined),
    logDays: Math.max(0, ...of('Logs::LogGroup').map(({ RetentionInDays }) => Number(RetentionInDays ?? 0))),
    /** The metrics that alarms watch: what an alarm costs goes by them. */
    alarmMetrics: sum(of('CloudWatch::Alarm').map(({ Metrics }) => statisticsIn(Metrics))),
    /** Made from logs. */
    customMetrics: of('Logs::MetricFilter').length,
    dashboards: of('CloudWatch::Dashboard').length,
    firewallLists: of('WAFv2::WebACL').length,
    firewallRules: sum(of('WAFv2::WebACL').map(({ Rules }) => listOf(Rules).length)),
    hasPointInTimeRecovery: of('DynamoDB::Table').some(
      ({ PointInTimeRecoverySpecification }) =>
        objectOf(PointInTimeRecoverySpecification)['PointInTimeRecoveryEnabled'] === true,
    ),
  }
}

/** An alarm of a calculation has the metrics that go into it, any other alarm one. */
const statisticsIn = (metrics: unknown): number =>
  Math.max(1, listOf(metrics).filter((metric) => objectOf(metric)['MetricStat'] !== undefined).length)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
