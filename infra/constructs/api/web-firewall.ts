import { Stack } from 'aws-cdk-lib'
import type { Stage } from 'aws-cdk-lib/aws-apigateway'
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'

const ruleName = 'requests-per-address'

/**
 * Adds a web firewall that blocks an IP address which sends a flood, before the flood invokes the authorizer: the
 * limits of keys do not apply to requests without a key. A blocked request gets the gateway response WAF_FILTERED.
 */
export const addFirewall = (stage: Stage, requestsPerAddress: number): void => {
  const webAcl = new CfnWebACL(stage, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: createVisibilityConfig(Stack.of(stage).stackName),
    rules: [
      {
        name: ruleName,
        priority: 0,
        action: { block: {} },
        statement: {
          rateBasedStatement: {
            limit: requestsPerAddress,
            evaluationWindowSec: 300,
            aggregateKeyType: 'IP',
          },
        },
        visibilityConfig: createVisibilityConfig(ruleName),
      },
    ],
  })
  new CfnWebACLAssociation(stage, 'FirewallAssociation', {
    webAclArn: webAcl.attrArn,
    resourceArn: stage.stageArn,
  })
}

const createVisibilityConfig = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: true,
})
