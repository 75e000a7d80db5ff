import { createHash } from 'node:crypto'
import { Stack } from 'aws-cdk-lib'
import { ApiKey, Period, type RestApi, UsagePlan, type UsagePlanProps } from 'aws-cdk-lib/aws-apigateway'
import { Construct } from 'constructs'
import { type Allowance, fixedPlans, type Plan } from '../../../shared/api-keys/plans.ts'

/** One usage plan for each plan, attached to the stage of the API, and one without limits that has the reserved key. */
export class UsagePlans extends Construct {
  readonly byPlan: Readonly<Record<Plan, UsagePlan>>

  constructor(scope: Construct, id: string, props: { readonly restApi: RestApi }) {
    super(scope, id)
    const add = (plan: Plan | 'reserved', limits: Pick<UsagePlanProps, 'throttle' | 'quota'>): UsagePlan =>
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
    const { stackName } = Stack.of(this)
    add('reserved', {}).addApiKey(
      new ApiKey(this, 'reserved-key', { apiKeyName: `${stackName}-reserved`, value: reservedGatewayKey(stackName) }),
    )
  }
}

/**
 * The value of the API Gateway key on which the authorizer has requests metered that must not use up a caller's own plan.
 * It is no secret: with `apiKeySource: AUTHORIZER` a caller cannot send it. Values are unique in an account and Region,
 * and so is the name of the stack.
 */
export const reservedGatewayKey = (stackName: string): string =>
  createHash('sha256').update(`${stackName} reserved`).digest('hex')

/** A request is metered up to 2 s after the table has counted it; the rest is for what AWS calls best effort. */
const slackSeconds = 5

/**
 * The table of keys is exact; these only keep a flood from reaching it. Two full minutes can meet where one window ends
 * and the next begins, so a burst of less than both would refuse a caller whose headers still show requests remaining.
 */
const edgeLimits = ({ perMinute, perDay }: Allowance): Pick<UsagePlanProps, 'throttle' | 'quota'> => ({
  throttle: { rateLimit: perMinute / 60, burstLimit: Math.ceil(2 * perMinute + slackSeconds * (perMinute / 60)) },
  quota: { limit: perDay, period: Period.DAY },
})
