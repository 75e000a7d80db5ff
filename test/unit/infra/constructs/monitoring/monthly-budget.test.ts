import { describe, expect, it } from 'vitest'
import { environmentNames, environments } from '../../../../../infra/environments.ts'
import { options, resourcesOf, synthesize } from '../../synthesized.ts'

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
    synthesize('production', options.production).monitoring.hasResourceProperties('AWS::Budgets::Budget', {
      Budget: { BudgetLimit: { Amount: 7, Unit: 'USD' } },
    })
  })
})
