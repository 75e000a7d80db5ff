import { Aws, CfnCondition, Fn } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { Construct } from 'constructs'
import type { AlarmScope } from './service-alarm.ts'

export interface MonthlyBudgetProps extends AlarmScope {
  readonly dollars: number
}

/**
 * Where CloudFormation knows `AWS::Budgets::Budget`, by its resource schemas of each Region. Elsewhere it refuses a
 * template with one, unless a condition leaves the resource out. China is not here: it is billed in another currency.
 */
export const regionsWithBudgets = [
  ...['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'sa-east-1'],
  ...['eu-central-1', 'eu-west-1', 'eu-west-2', 'eu-west-3'],
  ...['ap-northeast-1', 'ap-northeast-2', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2'],
] as const

/**
 * Tells the topic of alarms when the month has cost the amount, or is forecast to. It counts the whole AWS account: by
 * tag it would count nothing until the account that pays activates the tag for cost allocation, and nobody would
 * notice ("Using user-defined cost allocation tags" in the AWS Billing User Guide).
 */
export class MonthlyBudget extends Construct {
  constructor(scope: Construct, id: string, { environment, topic, dollars }: MonthlyBudgetProps) {
    super(scope, id)
    const tell = (notificationType: 'ACTUAL' | 'FORECASTED') => ({
      notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100 },
      subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
    })
    const budget = new CfnBudget(this, 'Resource', {
      budget: {
        // CloudFormation replaces a budget whose notifications change, which needs another name then.
        budgetName: `pet-adoption-${environment}-budget`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: dollars, unit: 'USD' },
        // Else a flood would be hidden for as long as credits pay for it.
        costTypes: { includeCredit: false },
      },
      notificationsWithSubscribers: [tell('ACTUAL'), tell('FORECASTED')],
    })
    budget.cfnOptions.condition = new CfnCondition(this, 'Available', {
      expression: Fn.conditionOr(...regionsWithBudgets.map((region) => Fn.conditionEquals(Aws.REGION, region))),
    })
  }
}
