import { createHash } from 'node:crypto'
import { Stack } from 'aws-cdk-lib'
import { ApiKey, Period, type RestApi, UsagePlan, type UsagePlanProps } from 'aws-cdk-lib/aws-apigateway'
import { Construct } from 'constructs'
import { type Allowance, fixedPlans, type Plan, planNames } from '../../../shared/api-keys/plans.ts'
import { createInTurn } from './gateway-responses.ts'

/** One usage plan for each plan, attached to the stage of the API, and one without limits that has the reserved key. */
export class UsagePlans extends Construct {
  /** The id of each plan's. */
  readonly ids: readonly (readonly [Plan, string])[]

  constructor(scope: Construct, id: string, restApi: RestApi) {
    super(scope, id)
    const { stackName } = Stack.of(this)
    const apiStages = [{ stage: restApi.deploymentStage }]
    const add = (plan: Plan | 'reserved', limits: Limits = {}): UsagePlan =>
      new UsagePlan(this, plan, { name: `${stackName}-${plan}`, apiStages, ...limits })
    // Each key of enterprise has its own allowance, which only the table knows.
    const ofPlans = planNames.map(
      (plan) => [plan, add(plan, plan === 'enterprise' ? {} : limitsOf(fixedPlans[plan]))] as const,
    )
    this.ids = ofPlans.map(([plan, { usagePlanId }]) => [plan, usagePlanId])
    const reserved = add('reserved')
    reserved.addApiKey(
      new ApiKey(this, 'reserved-key', { apiKeyName: `${stackName}-reserved`, value: reservedGatewayKey(stackName) }),
    )
    createInTurn([...ofPlans.map(([, usagePlan]) => usagePlan), reserved])
  }
}

type Limits = Pick<UsagePlanProps, 'throttle' | 'quota'>

/**
 * The value of the API Gateway key that meters requests which must not use up a caller's own plan. It is no secret: with
 * `apiKeySource: AUTHORIZER` a caller cannot send it. Values are unique in an account and Region, as stack names are.
 */
export const reservedGatewayKey = (stackName: string): string =>
  createHash('sha256').update(`${stackName} reserved`).digest('hex')

/**
 * The table of keys is exact; these limits only keep a flood from reaching it. Two full minutes can meet where one window
 * ends and the next begins: a smaller burst would refuse a caller whose headers show requests remaining.
 */
const limitsOf = ({ perMinute, perDay }: Allowance): Limits => {
  const rateLimit = perMinute / 60
  const burstLimit = Math.ceil(2 * perMinute + slackSeconds * rateLimit)
  return { throttle: { rateLimit, burstLimit }, quota: { limit: perDay, period: Period.DAY } }
}

/** A request is metered up to 2 s after the table has counted it; the other 3 s allow for a usage plan's inaccuracy. */
const slackSeconds = 5
