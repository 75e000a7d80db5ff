import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { type ApiResponse, administration, call, canIssueKeys, issueKey, itWithinOneMinute, together } from './api.ts'

const number = ({ headers }: ApiResponse, name: string): number => Number(headers.get(name))
const statuses = (responses: readonly ApiResponse[]) => responses.map(({ status }) => status)
const list = (key: string): Promise<ApiResponse> => call('GET', '/pets?limit=1', { key })

describe.skipIf(!canIssueKeys)('an API key', () => {
  itWithinOneMinute('has limits that count down by one from response to response, whatever that is', async () => {
    const { perMinute, perDay } = fixedPlans.pro
    const { key } = await issueKey('pro', fixedPlans.pro)
    const before = Date.now() / 1_000
    const responses = [await list(key), await call('GET', '/pets/0', { key }), await call('PUT', '/nothing', { key })]
    expect(statuses(responses)).toEqual([200, 404, 404])
    for (const [index, response] of responses.entries()) {
      const [ofMinute, ofDay] = [perMinute - 1 - index, perDay - 1 - index]
      const reset = number(response, 'X-RateLimit-Reset')
      expect(Object.fromEntries(response.headers)).toMatchObject({
        ...{ 'x-ratelimit-limit': String(perMinute), 'x-ratelimit-remaining': String(ofMinute) },
        'ratelimit-policy': `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
        ratelimit: expect.stringMatching(`^"minute";r=${ofMinute};t=\\d+, "day";r=${ofDay};t=\\d+$`),
      })
      expect(reset % 60).toBe(0)
      // The clocks of a deployed API and of this machine may differ.
      expect(reset).toBeGreaterThan(before - 5)
    }
  })

  itWithinOneMinute(
    'admits exactly as many of many requests at once, tells the others when to come again, and is banned, until an operator ends the ban',
    async () => {
      const { key, keyId } = await issueKey('enterprise', { perMinute: 60, perDay: 1_000 })
      const responses = await together(210, () => list(key))
      expect(statuses(responses).filter((status) => status === 200)).toHaveLength(60)
      const refused = responses.filter(({ status }) => status === 429)
      expect(refused).toHaveLength(150)
      const seen = Date.now() / 1_000
      for (const one of refused) {
        expect(seen + number(one, 'Retry-After')).toBeGreaterThan(number(one, 'X-RateLimit-Reset') - 0.5)
      }
      const banned = await list(key)
      expect(banned.json()).toMatchObject({ code: 'api_key_banned' })
      expect(number(banned, 'Retry-After')).toBeLessThanOrEqual(62)
      expect(banned.headers.get('RateLimit')).toMatch(/^"minute";r=0;t=\d+, "day";r=0;t=\d+$/)
      await administration().unban(keyId)
      const next = async () => (await list(key)).json()
      await expect.poll(next, { interval: 200 }).toMatchObject({ code: 'rate_limit_exceeded' })
    },
  )

  it('works beside its successor, and stops at the next request after it is revoked', async () => {
    const { key, keyId } = await issueKey('free', fixedPlans.free)
    const { apiKey: successor } = await administration().rotate(keyId, { overlapSeconds: 60 })
    const both = async () => statuses([await list(key), await list(successor)])
    expect(await both()).toEqual([200, 200])
    await administration().revoke(keyId)
    expect(await both()).toEqual([401, 200])
  })
})
