import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import {
  type ApiResponse,
  administration,
  call,
  canIssueKeys,
  isOnAws,
  issueKey,
  itWithinOneMinute,
  together,
} from './api.ts'

const number = ({ headers }: ApiResponse, name: string): number => Number(headers.get(name))
const statuses = (responses: readonly ApiResponse[]) => responses.map(({ status }) => status)
const codeOf = (response: ApiResponse) => response.json<{ readonly code: string }>().code

describe.skipIf(!canIssueKeys)('the limits of a key', () => {
  itWithinOneMinute(
    'are those of its plan, and count down by one from response to response, whatever that is',
    async () => {
      const { perMinute, perDay } = fixedPlans.pro
      const { key } = await issueKey('pro', fixedPlans.pro)
      const before = Date.now() / 1_000
      const responses = [
        await call('GET', '/pets', { key }),
        await call('GET', '/pets/0', { key }),
        await call('PUT', '/nothing', { key }),
      ]
      expect(statuses(responses)).toEqual([200, 404, 404])
      for (const [index, response] of responses.entries()) {
        const remaining = perMinute - 1 - index
        expect(number(response, 'X-RateLimit-Limit')).toBe(perMinute)
        expect(number(response, 'X-RateLimit-Remaining')).toBe(remaining)
        expect(response.headers.get('RateLimit-Policy')).toBe(`"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`)
        const fields = new RegExp(`^"minute";r=${remaining};t=\\d+, "day";r=${perDay - 1 - index};t=\\d+$`)
        expect(response.headers.get('RateLimit')).toMatch(fields)
        expect(number(response, 'X-RateLimit-Reset') % 60).toBe(0)
        // The clocks of a deployed API and of this machine may differ.
        expect(number(response, 'X-RateLimit-Reset')).toBeGreaterThan(before - 5)
      }
    },
  )

  itWithinOneMinute(
    'admit exactly as many of many requests at once, and respond 429 to the others with the time to wait',
    async () => {
      const { perMinute } = fixedPlans.free
      const { key } = await issueKey('free', fixedPlans.free)
      const refused = isOnAws ? 20 : 200
      const responses = await together(perMinute + refused, () => call('GET', '/pets?limit=1', { key }))
      expect(statuses(responses).filter((status) => status === 200)).toHaveLength(perMinute)
      const others = responses.filter(({ status }) => status === 429)
      expect(others).toHaveLength(refused)
      const seen = Date.now() / 1_000
      for (const other of others) {
        expect(seen + number(other, 'Retry-After')).toBeGreaterThan(number(other, 'X-RateLimit-Reset') - 0.5)
      }
    },
  )

  itWithinOneMinute('ban it while its requests continue, until an operator ends the ban', async () => {
    const { key, keyId } = await issueKey('enterprise', { perMinute: 1, perDay: 1_000 })
    const responses = await together(150, () => call('GET', '/pets?limit=1', { key }))
    expect(statuses(responses).filter((status) => status === 200)).toHaveLength(1)
    const banned = await call('GET', '/pets', { key })
    expect(codeOf(banned)).toBe('api_key_banned')
    expect(number(banned, 'Retry-After')).toBeLessThanOrEqual(62)
    expect(banned.headers.get('RateLimit')).toMatch(/^"minute";r=0;t=\d+, "day";r=0;t=\d+$/)
    await administration().unban(keyId)
    const next = async () => codeOf(await call('GET', '/pets', { key }))
    await expect.poll(next, { interval: 200 }).toBe('rate_limit_exceeded')
  })

  itWithinOneMinute('are those of its new plan from the next request on, and what it used stays used', async () => {
    const { key, keyId } = await issueKey('free', fixedPlans.free)
    await call('GET', '/pets', { key })
    await administration().move(keyId, 'pro', fixedPlans.pro)
    const response = await call('GET', '/pets', { key })
    expect(number(response, 'X-RateLimit-Limit')).toBe(fixedPlans.pro.perMinute)
    expect(number(response, 'X-RateLimit-Remaining')).toBe(fixedPlans.pro.perMinute - 2)
  })
})

it.skipIf(!canIssueKeys)(
  'a key works beside its successor, and stops at the next request after it is revoked',
  async () => {
    const { key, keyId } = await issueKey('free', fixedPlans.free)
    const { apiKey: successor } = await administration().rotate(keyId, { overlapSeconds: 60 })
    const both = async () => [await call('GET', '/pets', { key }), await call('GET', '/pets', { key: successor })]
    expect(statuses(await both())).toEqual([200, 200])
    await administration().revoke(keyId)
    expect(statuses(await both())).toEqual([401, 200])
  },
)
