import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type EnvironmentConfig, type EnvironmentName, presets } from '../../../../infra/environments.ts'
import { findProperties, synthesizeTemplates } from '../../../fixtures/environment/templates.ts'

/** Counts the parts of an environment that cost money whatever its traffic is. */
const countParts = (environment: EnvironmentName, change: Partial<EnvironmentConfig> = {}) => {
  const templates = Object.values(synthesizeTemplates(environment, change))
  const find = (type: string) => templates.flatMap((template) => findProperties(template, type))
  // An alarm of a calculation lists its metrics; any other alarm watches one.
  const alarmMetrics = find('AWS::CloudWatch::Alarm')
    .flatMap(({ Metrics = [{ MetricStat: {} }] }) => Metrics)
    .filter(({ MetricStat }) => MetricStat !== undefined)
  const firewalls = find('AWS::WAFv2::WebACL')

  // A key or a gateway would have a monthly price that infra/COSTS.md leaves out.
  expect([...find('AWS::KMS::Key'), ...find('AWS::EC2::NatGateway')]).toEqual([])
  return {
    alarmMetrics: alarmMetrics.length,
    accessLogMetrics: find('AWS::Logs::MetricFilter').length,
    dashboards: find('AWS::CloudWatch::Dashboard').length,
    firewalls: firewalls.length,
    rules: firewalls.flatMap(({ Rules }) => Rules).length,
    tables: find('AWS::DynamoDB::Table').length,
  }
}

const costs = readFileSync('infra/COSTS.md', 'utf8')
const production = countParts('production')
const small = countParts('production', presets.small)
const staging = countParts('staging')

it.each([
  { part: 'metric that an alarm watches', name: 'alarmMetrics' },
  { part: 'metric from the access log', name: 'accessLogMetrics' },
  { part: 'dashboard', name: 'dashboards' },
  { part: 'web access list of the firewall', name: 'firewalls' },
  { part: 'rule of the firewall', name: 'rules' },
  { part: 'table, which costs only what it stores', name: 'tables' },
] as const)('infra/COSTS.md counts each $part that the templates have', ({ part, name }) => {
  const row = costs.split('\n').find((line) => line.startsWith(`| ${part} |`))

  const numbers = row?.split('|').slice(3, 6).map(Number)

  expect(numbers).toEqual([production[name], small[name], staging[name]])
})
