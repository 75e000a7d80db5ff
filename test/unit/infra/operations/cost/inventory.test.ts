import { describe, expect, it } from 'vitest'
import { environmentNames, environments } from '../../../../../infra/environments.ts'
import { readInventory, takeInventory } from '../../../../../infra/operations/cost/inventory.ts'

describe('what an environment deploys', () => {
  it.each(environmentNames)('is read from the templates of %s', async (name) => {
    const { functions, tables, logs, firewall, tracing } = environments[name]
    expect(await readInventory(name)).toMatchObject({
      functionMegabytes: functions.memoryMegabytes,
      isTraced: tracing,
      hasPointInTimeRecovery: tables.pointInTimeRecovery,
      logDays: logs.retentionDays,
      firewallLists: firewall === undefined ? 0 : 1,
    })
  })

  it('is traced where the operator turns tracing on', async () => {
    expect(await readInventory('production', true)).toMatchObject({ isTraced: true })
  })

  it('has an alarm of a calculation once for each metric in it, and a metric by plan once for each plan', () => {
    const metrics = [{ MetricStat: {} }, { MetricStat: {} }, { Expression: 'a / b' }]
    const transformations = [{ MetricName: 'Ok', Dimensions: [{ Key: 'Plan' }] }]
    const found = takeInventory([
      { type: 'AWS::CloudWatch::Alarm', properties: { MetricName: 'Errors' } },
      { type: 'AWS::CloudWatch::Alarm', properties: { Metrics: metrics } },
      { type: 'AWS::Logs::MetricFilter', properties: { MetricTransformations: [{ MetricName: 'Ok' }] } },
      { type: 'AWS::Logs::MetricFilter', properties: { MetricTransformations: transformations } },
    ])
    expect(found).toMatchObject({ alarmMetrics: 3, customMetrics: 5, dashboards: 0 })
  })

  it('is nothing where there is nothing', () => {
    expect(takeInventory([])).toEqual({
      functionMegabytes: 0,
      isTraced: false,
      hasAccessLog: false,
      logDays: 0,
      alarmMetrics: 0,
      customMetrics: 0,
      dashboards: 0,
      firewallLists: 0,
      firewallRules: 0,
      encryptionKeys: 0,
      hasPointInTimeRecovery: false,
    })
  })
})
