import { expect, it } from 'vitest'
import { presets } from '../../../../../infra/environments.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { synthesizeTemplates } from '../../../../fixtures/environment/templates.ts'

// findings.test.ts shows that the firewall of production stands before its stage.
it('the web firewall of production blocks an address above its limit', () => {
  synthesizeTemplates('production').api.hasResourceProperties('AWS::WAFv2::WebACL', {
    DefaultAction: { Allow: {} },
    Rules: [
      {
        Action: { Block: {} },
        Statement: { RateBasedStatement: { AggregateKeyType: 'IP' } },
      },
    ],
  })
})

// The five minutes that the firewall counts can contain requests of six minutes of the table.
it('the default firewall admits a key of the largest fixed plan from one address', () => {
  const perMinute = Math.max(...Object.values(fixedPlans).map((limits) => limits.perMinute))

  expect(presets.standard.requestsPerAddress).toBeGreaterThanOrEqual(6 * perMinute)
})
