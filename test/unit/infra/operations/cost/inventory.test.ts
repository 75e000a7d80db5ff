import { expect, it } from 'vitest'
import { takeInventory } from '../../../../../infra/operations/cost/inventory.ts'
import { inventory } from './workloads.ts'

it('an inventory has an alarm of a calculation once for each metric in it', () => {
  const metrics = [{ MetricStat: {} }, { MetricStat: {} }, { Expression: 'a / b' }]
  const found = takeInventory([
    { type: 'AWS::CloudWatch::Alarm', properties: { MetricName: 'Errors' } },
    { type: 'AWS::CloudWatch::Alarm', properties: { Metrics: metrics } },
    { type: 'AWS::Logs::MetricFilter', properties: {} },
  ])
  expect(found).toEqual(inventory({ functionMegabytes: 0, alarmMetrics: 3, customMetrics: 1 }))
})
