import { Aws, Fn, Stack } from 'aws-cdk-lib'
import { ApiKey, Period, type RestApi, UsagePlan, type UsagePlanProps } from 'aws-cdk-lib/aws-apigateway'
import { Construct } from 'constructs'
import { fixedPlans, type Limits, type Plan, planNames } from '../../../shared/api-keys/plans.ts'
import { deployInSequence } from './gateway-responses.ts'

type UsagePlanLimits = Pick<UsagePlanProps, 'throttle' | 'quota'>

/**
 * A usage plan of API Gateway for each plan of the service, and one without limits for the *unlimited gateway key*: the
 * API key on which API Gateway counts requests that it must not limit (functions/authorizer/metering.ts).
 */
export class UsagePlans extends Construct {
  /** The id of each plan's usage plan. */
  readonly ids: ReadonlyMap<Plan, string>

  constructor(scope: Construct, id: string, restApi: RestApi) {
    super(scope, id)
    const { stackName } = Stack.of(this)
    const addUsagePlan = (name: Plan | 'unlimited', limits: UsagePlanLimits): UsagePlan =>
      new UsagePlan(this, name, {
        name: `${stackName}-${name}`,
        apiStages: [{ stage: restApi.deploymentStage }],
        ...limits,
      })

    const ids = new Map<Plan, string>()
    const usagePlans: UsagePlan[] = []
    for (const plan of planNames) {
      // Each key of enterprise has limits of its own, which only the table knows.
      const limits = plan === 'enterprise' ? {} : calculateLimits(fixedPlans[plan])
      const usagePlan = addUsagePlan(plan, limits)
      ids.set(plan, usagePlan.usagePlanId)
      usagePlans.push(usagePlan)
    }
    this.ids = ids

    const unlimitedPlan = addUsagePlan('unlimited', {})
    const unlimitedKey = new ApiKey(this, 'unlimited-key', {
      apiKeyName: `${stackName}-unlimited`,
      value: deriveUnlimitedGatewayKey(),
    })
    unlimitedPlan.addApiKey(unlimitedKey)

    deployInSequence([...usagePlans, unlimitedPlan])
  }
}

/**
 * Derives the value of the unlimited gateway key from the id of the stack: its hexadecimal digits. The value differs in
 * each AWS account, because API Gateway refuses a value that exists already, and no document says whether only those
 * of the same account count. The value is no secret: with `apiKeySource: AUTHORIZER` a caller cannot send it.
 */
export const deriveUnlimitedGatewayKey = (): string => {
  // The id is an ARN that ends with the name of the stack, a slash and a UUID.
  const uuid = Fn.select(2, Fn.split('/', Aws.STACK_ID))
  return Fn.join('', Fn.split('-', uuid))
}

/**
 * A usage plan counts a request up to 2 s after the table of keys has counted it. Another 3 s allow for the inaccuracy
 * of a usage plan.
 */
const slackSeconds = 5

/**
 * Calculates the throttle that admits a key with a limit per minute. The burst holds two full minutes, which can meet
 * where one window ends and the next begins. A smaller one would refuse a caller whose headers show requests remaining.
 */
export const calculateThrottle = (perMinute: number) => {
  const rateLimit = perMinute / 60
  const burstLimit = Math.ceil(2 * perMinute + slackSeconds * rateLimit)
  return { rateLimit, burstLimit }
}

/**
 * Calculates the limits of a usage plan. It admits all requests that the table of keys admits, whose limits alone are
 * exact. It is a second line of defence, in case the table ever admits more.
 *
 * The quota is the requests of two days: AWS does not say when its day begins ("Usage plans and API keys for REST APIs
 * in API Gateway"), so all requests of two days of the table, which begin at midnight UTC, can fall into one.
 */
const calculateLimits = ({ perMinute, perDay }: Limits): UsagePlanLimits => ({
  throttle: calculateThrottle(perMinute),
  quota: { limit: 2 * perDay, period: Period.DAY },
})
