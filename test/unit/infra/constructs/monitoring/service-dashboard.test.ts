import { expect, it } from 'vitest'
import { findProperties, findResources, synthesizeTemplates } from '../../../../fixtures/environment/templates.ts'

it('the dashboard has every alarm', () => {
  const production = synthesizeTemplates('production').api
  const [dashboard] = findProperties(production, 'AWS::CloudWatch::Dashboard')
  const dashboardBody = JSON.stringify(dashboard.DashboardBody)
  const alarmIds = Object.keys(findResources(production, 'AWS::CloudWatch::Alarm'))

  expect(alarmIds.filter((id) => !dashboardBody.includes(`"${id}","Arn"`))).toEqual([])
})
