import { Annotations } from 'aws-cdk-lib'
import type { ThrottleSettings } from 'aws-cdk-lib/aws-apigateway'
import type { Construct } from 'constructs'

/**
 * Where an account starts with 2,500 requests a second and a burst of 1,250 for all its APIs together; elsewhere 10,000
 * and 5,000 ("Amazon API Gateway quotas" in the API Gateway Developer Guide). No plan and no method gets more.
 */
const smallerRegions = [
  ...['af-south-1', 'ap-south-2', 'ap-southeast-3', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-7'],
  ...['ca-west-1', 'eu-central-2', 'eu-south-1', 'eu-south-2', 'il-central-1', 'me-central-1', 'mx-central-1'],
]

export type Throttle = Required<ThrottleSettings>

/** The throttle of an account in a Region. A Region that is not known counts as one of the larger. */
export const accountThrottle = (region: string | undefined): Throttle =>
  region !== undefined && smallerRegions.includes(region)
    ? { rateLimit: 2_500, burstLimit: 1_250 }
    : { rateLimit: 10_000, burstLimit: 5_000 }

/** The throttle, or what of it the account allows; then synth warns of what that means for callers. */
export const withinAccount = (scope: Construct, wanted: Throttle, account: Throttle): Throttle => {
  const rateLimit = Math.min(wanted.rateLimit, account.rateLimit)
  const burstLimit = Math.min(wanted.burstLimit, account.burstLimit)
  if (rateLimit < wanted.rateLimit || burstLimit < wanted.burstLimit) {
    Annotations.of(scope).addWarningV2(
      'pet-adoption:account-throttle',
      `The throttle is ${rateLimit} requests a second with a burst of ${burstLimit} instead of ${wanted.rateLimit} with ` +
        `${wanted.burstLimit}: API Gateway allows an account no more in this Region. A caller of the Business plan may be ` +
        'refused at the edge (429) although the headers show requests remaining.',
    )
  }
  return { rateLimit, burstLimit }
}
