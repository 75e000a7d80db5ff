import { Aws, CfnCondition, Fn } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import type { EnvironmentName } from '../../environments.ts'

export interface MonthlyBudgetProps {
  readonly environment: EnvironmentName
  readonly topic: ITopic
  readonly dollars: number
}

/**
 * The Regions in which CloudFormation has the resource type `AWS::Budgets::Budget`. Elsewhere it rejects a template with
 * one, unless a condition leaves the resource out. China is left out because its bill is in another currency.
 */
export const regionsWithBudgets = [
  ...['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'sa-east-1'],
  ...['eu-central-1', 'eu-west-1', 'eu-west-2', 'eu-west-3'],
  ...['ap-northeast-1', 'ap-northeast-2', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2'],
] as const

/**
 * Notifies the topic of alarms when the month has cost the amount, or is forecast to. It counts the whole AWS account: a
 * budget by tag counts nothing, and gives no sign of that, until the paying account activates the tag for cost
 * allocation ("Using user-defined cost allocation tags" in the AWS Billing User Guide).
 */
export class MonthlyBudget extends Construct {
  constructor(scope: Construct, id: string, { environment, topic, dollars }: MonthlyBudgetProps) {
    super(scope, id)
    const notify = (notificationType: 'ACTUAL' | 'FORECASTED') => ({
      notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100 },
      subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
    })
    const budget = new CfnBudget(this, 'Resource', {
      budget: {
        // CloudFormation replaces a budget whose notifications change: change the name as well then.
        budgetName: `pet-adoption-${environment}-budget`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: dollars, unit: 'USD' },
        // Otherwise credits would hide the cost of a flood.
        costTypes: { includeCredit: false },
      },
      notificationsWithSubscribers: [notify('ACTUAL'), notify('FORECASTED')],
    })
    budget.cfnOptions.condition = new CfnCondition(this, 'Available', {
      expression: Fn.conditionOr(...regionsWithBudgets.map((region) => Fn.conditionEquals(Aws.REGION, region))),
    })
  }
}
