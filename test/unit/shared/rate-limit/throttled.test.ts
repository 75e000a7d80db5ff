import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb'
import { beforeAll, expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { interceptingClient } from '../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'

const throttle = async (): Promise<never> => {
  throw new ProvisionedThroughputExceededException({ message: 'Slow down.', $metadata: { httpStatusCode: 400 } })
}

describeOnEachEngine('a key whose item takes no more writes', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await openService(engine)
  })
  const throttled = () => service.limiter({ client: interceptingClient(engine, 'UpdateItem', throttle) })

  it('gets a time to wait, with its own limits', async () => {
    const { perMinute, perDay } = fixedPlans.free
    const { keyHash, keyId } = await issueKey(service, fixedPlans.free)
    expect(await throttled().admit(keyHash)).toMatchObject({
      kind: 'throttled',
      record: { keyId },
      bindingWindow: { limit: perMinute, remaining: 0, resetAt: noon / 1_000 + 1 },
      status: { minute: { limit: perMinute, remaining: 0 }, day: { limit: perDay, remaining: 0 } },
    })
  })

  it('is still refused where its limit is used up or it is banned, with the time to wait', async () => {
    const { keyHash } = await issueKey(service, { perMinute: 60, perDay: 1 })
    const limiter = service.limiter({
      bans: { refusalsBeforeBan: 2, firstBanSeconds: 7_200, longestBanSeconds: 7_200 },
    })
    const midnight = Date.UTC(2026, 10, 3) / 1_000
    await limiter.admit(keyHash)
    expect(await throttled().admit(keyHash)).toMatchObject({
      kind: 'exhausted',
      bindingWindow: { window: 'day', resetAt: midnight },
    })
    await limiter.admit(keyHash)
    await limiter.admit(keyHash)
    expect(await throttled().admit(keyHash)).toMatchObject({
      kind: 'banned',
      bindingWindow: { remaining: 0, resetAt: midnight },
    })
  })

  it('is still invalid where it is revoked, or was never issued', async () => {
    const { keyHash, keyId } = await issueKey(service, fixedPlans.free)
    await service.keys.revoke(keyId)
    expect(await throttled().admit(keyHash)).toEqual({ kind: 'invalid' })
    expect(await throttled().admit(hashApiKey('pet_test_never_issued'))).toEqual({ kind: 'invalid' })
  })

  it('is an error where the write fails for another reason', async () => {
    const { keyHash } = await issueKey(service, fixedPlans.free)
    const fail = async (): Promise<never> => {
      throw new Error('The write failed.')
    }
    const failing = interceptingClient(engine, 'UpdateItem', fail)
    await expect(service.limiter({ client: failing }).admit(keyHash)).rejects.toThrow('The write failed.')
  })
})
