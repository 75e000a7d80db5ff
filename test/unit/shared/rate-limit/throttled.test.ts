import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import type { RateLimiter } from '../../../../shared/rate-limit/rate-limiter.ts'
import { interceptingClient } from '../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service, type UsableKey } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'

const bans = { refusalsBeforeBan: 2, firstBanSeconds: 7_200, longestBanSeconds: 7_200 }
const slowDown = { message: 'Slow down.', $metadata: { httpStatusCode: 400 } }
const midnight = Date.UTC(2026, 10, 3) / 1_000

describeOnEachEngine('a key whose item takes no more writes', (engine) => {
  let service: Service
  let key: UsableKey
  beforeEach(async () => {
    service = await openService(engine)
    key = await issueKey(service, { perMinute: 60, perDay: 1 })
  })

  const failing = (error: Error): RateLimiter => {
    const client = interceptingClient(engine, 'UpdateItem', () => Promise.reject(error))
    return service.limiter({ client })
  }
  const throttled = () => failing(new ProvisionedThroughputExceededException(slowDown))

  it.each([
    [0, 'gets a time to wait', { kind: 'throttled', bindingWindow: { remaining: 0, resetAt: noon / 1_000 + 1 } }],
    [1, 'is refused where its limit is used up', { kind: 'exhausted', bindingWindow: { resetAt: midnight } }],
    [3, 'is refused where it is banned', { kind: 'banned', bindingWindow: { remaining: 0, resetAt: midnight } }],
  ])('after %i requests %s', async (requests, _what, expected) => {
    const limiter = service.limiter({ bans })
    for (let request = 0; request < requests; request += 1) await limiter.admit(key.keyHash)
    expect(await throttled().admit(key.keyHash)).toMatchObject({ ...expected, record: { keyId: key.keyId } })
  })

  it('is still invalid where it is revoked, or was never issued', async () => {
    await service.keys.revoke(key.keyId)
    expect(await throttled().admit(key.keyHash)).toEqual({ kind: 'invalid' })
    expect(await throttled().admit(hashApiKey('pet_test_never_issued'))).toEqual({ kind: 'invalid' })
  })

  it('is an error where the write fails for another reason', async () => {
    await expect(failing(new Error('The write failed.')).admit(key.keyHash)).rejects.toThrow('The write failed.')
  })
})
