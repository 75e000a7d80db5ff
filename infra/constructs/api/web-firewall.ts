import { Aws, Stack } from 'aws-cdk-lib'
import type { Stage } from 'aws-cdk-lib/aws-apigateway'
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'

const ruleName = 'requests-per-address'

/** The dimensions of the rule's metrics of AWS WAF. */
export const firewallRule = (apiName: string) => ({ Region: Aws.REGION, WebACL: apiName, Rule: ruleName })

/**
 * Blocks an IP address that sends a flood, before it invokes the authorizer: the limits of keys do not apply to requests
 * without a key. The response is the gateway response WAF_FILTERED.
 */
export const addFirewall = (stage: Stage, requestsPerAddress: number): void => {
  const visibility = (metricName: string) => ({
    visibilityConfig: { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true },
  })
  const rateBasedStatement = { limit: requestsPerAddress, evaluationWindowSec: 300, aggregateKeyType: 'IP' }
  const rule = { name: ruleName, priority: 0, action: { block: {} }, statement: { rateBasedStatement } }
  const { attrArn: webAclArn } = new CfnWebACL(stage, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    ...visibility(Stack.of(stage).stackName),
    rules: [{ ...rule, ...visibility(ruleName) }],
  })
  new CfnWebACLAssociation(stage, 'FirewallAssociation', { webAclArn, resourceArn: stage.stageArn })
}
