import { Aws, Stack } from 'aws-cdk-lib'
import type { Stage } from 'aws-cdk-lib/aws-apigateway'
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import { Construct } from 'constructs'

const ruleName = 'requests-per-address'

/** The dimensions of the rule's metrics of AWS WAF. */
export const firewallRule = (apiName: string): Record<string, string> => ({
  ...{ Region: Aws.REGION, WebACL: apiName, Rule: ruleName },
})

/**
 * Blocks an IP address that sends a flood, before it invokes the authorizer: the limits of keys do not apply to requests
 * without a key. The response is the gateway response WAF_FILTERED.
 */
export class WebFirewall extends Construct {
  constructor(stage: Stage, requestsPerAddress: number) {
    super(stage, 'Firewall')
    const visibility = (metricName: string) => ({
      visibilityConfig: { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true },
    })
    const rateBasedStatement = { limit: requestsPerAddress, evaluationWindowSec: 300, aggregateKeyType: 'IP' }
    const { attrArn: webAclArn } = new CfnWebACL(this, 'AccessList', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      ...visibility(Stack.of(this).stackName),
      rules: [
        {
          ...{ name: ruleName, priority: 0, action: { block: {} }, statement: { rateBasedStatement } },
          ...visibility(ruleName),
        },
      ],
    })
    new CfnWebACLAssociation(this, 'Association', { webAclArn, resourceArn: stage.stageArn })
  }
}
