import { expect, it } from 'vitest'
import { chooseGatewayKey } from '../../../../functions/authorizer/metering.ts'
import { maximumPerMinute, type Plan } from '../../../../shared/api-keys/plans.ts'
import { decideAs } from '../../../../shared/rate-limit/rate-limiter.ts'
import { createApiKeyRecord } from '../../../fixtures/service/api-key-record.ts'
import { testTime } from '../../../fixtures/service/clock.ts'

/** A key that is metered on its own gateway key from the test time on. */
const record = createApiKeyRecord({ meteredFrom: testTime / 1_000 })

it.each([
  { moment: 'the time in its record', now: testTime, gatewayKey: 'GatewayKeyOfTheUnitTests' },
  { moment: 'a millisecond before that time', now: testTime - 1, gatewayKey: 'the unlimited gateway key' },
])('at $moment an admitted request is metered on $gatewayKey', ({ now, gatewayKey }) => {
  const decision = decideAs('admitted', record, now / 1_000)

  expect(chooseGatewayKey(decision, 'the unlimited gateway key')).toBe(gatewayKey)
})

it.each(['exhausted', 'banned', 'uncounted'] as const)(
  'a request that is %s is metered on the unlimited gateway key',
  (kind) => {
    const decision = decideAs(kind, record, testTime / 1_000)

    expect(chooseGatewayKey(decision, 'the unlimited gateway key')).toBe('the unlimited gateway key')
  },
)

/** Chooses the gateway key for an admitted request of a key with limits that may differ from those of its plan. */
const chooseKeyForLimits = (plan: Plan, minuteLimit: number, dayLimit: number): string => {
  const limitedRecord = createApiKeyRecord({ plan, minuteLimit, dayLimit, meteredFrom: testTime / 1_000 })
  return chooseGatewayKey(decideAs('admitted', limitedRecord, testTime / 1_000), 'the unlimited gateway key')
}

// The plan pro has 300 requests a minute and 10,000 a day.
it.each([
  { limits: 'equal those of its plan', minuteLimit: 300, dayLimit: 10_000, gatewayKey: 'GatewayKeyOfTheUnitTests' },
  { limits: 'are below its plan', minuteLimit: 299, dayLimit: 1, gatewayKey: 'GatewayKeyOfTheUnitTests' },
  { limits: 'exceed its plan in a minute', minuteLimit: 301, dayLimit: 1, gatewayKey: 'the unlimited gateway key' },
  { limits: 'exceed its plan in a day', minuteLimit: 1, dayLimit: 10_001, gatewayKey: 'the unlimited gateway key' },
])('a key whose limits $limits is metered on $gatewayKey', ({ minuteLimit, dayLimit, gatewayKey }) => {
  expect(chooseKeyForLimits('pro', minuteLimit, dayLimit)).toBe(gatewayKey)
})

it('a key of the plan enterprise is metered on its own key, whatever its limits', () => {
  expect(chooseKeyForLimits('enterprise', maximumPerMinute, 1e9)).toBe('GatewayKeyOfTheUnitTests')
})
