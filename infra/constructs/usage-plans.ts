import { Stack } from 'aws-cdk-lib'
import { Period, type RestApi, UsagePlan, type UsagePlanProps } from 'aws-cdk-lib/aws-apigateway'
import { Construct } from 'constructs'
import { type Allowance, fixedPlans, type Plan } from '../../shared/api-keys/plans.ts'

/** One usage plan for each plan, attached to the stage of the API. */
export class UsagePlans extends Construct {
  readonly byPlan: Readonly<Record<Plan, UsagePlan>>

  constructor(scope: Construct, id: string, props: { readonly restApi: RestApi }) {
    super(scope, id)
    const add = (plan: Plan, limits: Pick<UsagePlanProps, 'throttle' | 'quota'>): UsagePlan =>
      new UsagePlan(this, plan, {
        name: `${Stack.of(this).stackName}-${plan}`,
        apiStages: [{ stage: props.restApi.deploymentStage }],
        ...limits,
      })
    this.byPlan = {
      free: add('free', edgeLimits(fixedPlans.free)),
      pro: add('pro', edgeLimits(fixedPlans.pro)),
      business: add('business', edgeLimits(fixedPlans.business)),
      // Each key has its own allowance, which only the table knows.
      enterprise: add('enterprise', {}),
    }
  }
}

/**
 * The table of keys is exact; these only keep a flood from reaching it. Two full minutes can meet
 * where one window ends and the next begins, so a smaller burst would refuse a caller whose headers
 * still show requests remaining.
 */
const edgeLimits = ({ perMinute, perDay }: Allowance): Pick<UsagePlanProps, 'throttle' | 'quota'> => ({
  throttle: { rateLimit: perMinute / 60, burstLimit: 2 * perMinute },
  quota: { limit: perDay, period: Period.DAY },
})
