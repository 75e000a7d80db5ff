import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { regionsWithBudgets } from '../../../../../infra/constructs/monitoring/monthly-budget.ts'
import { environmentNames, environments } from '../../../../../infra/environments.ts'
import { createStage, resourcesOf, synthesize } from '../../synthesized.ts'

const hasLinter = spawnSync('cfn-lint', ['--version']).status === 0

describe.each(environmentNames)('the budget of %s', (environment) => {
  const { api, monitoring } = synthesize(environment)
  const [budget] = Object.values(resourcesOf(monitoring, 'AWS::Budgets::Budget'))

  it('is an amount of US dollars a month for the whole account, before credits', () => {
    expect(budget?.Properties['Budget']).toEqual({
      BudgetName: `pet-adoption-${environment}-budget`,
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: environments[environment].monthlyBudget, Unit: 'USD' },
      CostTypes: { IncludeCredit: false },
    })
  })

  it('notifies the topic of alarms when the amount is spent, and when it is forecast to be', () => {
    const [topicId] = Object.keys(resourcesOf(api, 'AWS::SNS::Topic'))
    const notifications = JSON.parse(JSON.stringify(budget?.Properties['NotificationsWithSubscribers']))
    expect(notifications).toHaveLength(2)
    for (const [index, NotificationType] of ['ACTUAL', 'FORECASTED'].entries()) {
      expect(notifications[index]).toMatchObject({
        Notification: { NotificationType, ComparisonOperator: 'GREATER_THAN', Threshold: 100 },
        Subscribers: [{ SubscriptionType: 'SNS' }],
      })
      expect(JSON.stringify(notifications[index].Subscribers[0].Address)).toContain(String(topicId))
    }
  })
})

describe('the amount of the budget', () => {
  it('is what the operator sets', () => {
    synthesize('staging', { monthlyBudget: 7 }).monitoring.hasResourceProperties('AWS::Budgets::Budget', {
      Budget: { BudgetLimit: { Amount: 7, Unit: 'USD' } },
    })
  })
})

describe('the Regions of the budget', () => {
  it.runIf(hasLinter || process.env['CI'] !== undefined)(
    'are those whose CloudFormation knows it; elsewhere the template is valid without it',
    { timeout: 120_000 },
    () => {
      const { directory } = createStage('production').synth()
      const templates = readdirSync(directory)
        .filter((name) => name.startsWith('productionmonitoring') && name.endsWith('.template.json'))
        .map((name) => join(directory, name))
      expect(templates).toHaveLength(1)
      const elsewhere = ['eu-north-1', 'eu-central-2', 'af-south-1']
      const { stdout, status } = spawnSync(
        'cfn-lint',
        ['--regions', ...regionsWithBudgets, ...elsewhere, '--', ...templates],
        { encoding: 'utf8' },
      )
      expect(stdout).toBe('')
      expect(status).toBe(0)
    },
  )
})
