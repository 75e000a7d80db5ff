import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { limits } from '../requests/limits.ts'
import {
  type ApiResponse,
  apiKey,
  call,
  type ErrorBody,
  isOnAws,
  itResponds,
  together,
  withinOneMinute,
} from './api.ts'
import { administration, canIssueKeys, issueKey } from './issue-key.ts'

const number = ({ headers }: ApiResponse, name: string): number => Number(headers.get(name))

describe('a request over a limit', () => itResponds(limits))

describe('the limit headers', () => {
  it('show when the window ends, and both windows in the IETF fields', async () => {
    const before = Date.now() / 1_000
    const response = await call('GET', '/pets')
    const after = Date.now() / 1_000
    const reset = number(response, 'X-RateLimit-Reset')
    expect(reset % 60).toBe(0)
    expect(reset).toBeGreaterThan(before - 1)
    expect(response.headers.get('RateLimit-Policy')).toMatch(/^"minute";q=\d+;w=60, "day";q=\d+;w=86400$/)
    const [, remaining, seconds] =
      /^"minute";r=(\d+);t=(\d+), "day";r=\d+;t=\d+$/.exec(response.headers.get('RateLimit') ?? '') ?? []
    expect(Number(remaining)).toBe(number(response, 'X-RateLimit-Remaining'))
    // The clocks of a deployed API and of this machine may differ.
    expect(Number(seconds)).toBeGreaterThan(reset - after - 5)
    expect(Number(seconds)).toBeLessThan(reset - before + 5)
  })
})

describe.skipIf(!canIssueKeys)('the limits of a plan', () => {
  it(
    'count down by one from response to response, whatever the response is',
    withinOneMinute(async () => {
      // No other test uses this key.
      const { perMinute } = fixedPlans.pro
      const { apiKey: key } = await issueKey('pro', fixedPlans.pro)
      const responses = [
        await call('GET', '/pets', { key }),
        await call('GET', '/pets/0', { key }),
        await call('PUT', '/nothing', { key }),
      ]
      expect(responses.map(({ status }) => status)).toEqual([200, 404, 404])
      expect(responses.map((response) => number(response, 'X-RateLimit-Remaining'))).toEqual([
        perMinute - 1,
        perMinute - 2,
        perMinute - 3,
      ])
    }),
  )

  it.each(Object.entries(fixedPlans))('show in the headers of a new key: %s', async (name, allowance) => {
    const key = await issueKey(name === 'pro' ? 'pro' : name === 'business' ? 'business' : 'free', allowance)
    const response = await call('GET', '/pets', { key: key.apiKey })
    expect(number(response, 'X-RateLimit-Limit')).toBe(allowance.perMinute)
    expect(number(response, 'X-RateLimit-Remaining')).toBe(allowance.perMinute - 1)
    expect(response.headers.get('RateLimit-Policy')).toContain(`"day";q=${allowance.perDay};w=86400`)
  })

  it(
    'admit exactly as many of many requests at once, and respond 429 to the others',
    withinOneMinute(async () => {
      const { perMinute } = fixedPlans.free
      const { apiKey: key } = await issueKey('free', fixedPlans.free)
      const refused = isOnAws ? 20 : 440
      const responses = await together(perMinute + refused, () => call('GET', '/pets?limit=1', { key }))
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(perMinute)
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(refused)
    }),
  )

  it(
    'are shown on a 429 with the time to wait, which ends no earlier than the reset',
    withinOneMinute(async () => {
      const { apiKey: key } = await issueKey('enterprise', { perMinute: 2, perDay: 100 })
      await call('GET', '/pets', { key })
      await call('GET', '/pets', { key })
      const asked = Date.now() / 1_000
      const refused = await call('GET', '/pets', { key })
      expect(refused.status).toBe(429)
      expect(refused.json<ErrorBody>()).toMatchObject({ code: 'rate_limit_exceeded', status: 429 })
      expect(refused.json<ErrorBody>().message).toContain('2 requests per minute')
      expect(number(refused, 'X-RateLimit-Remaining')).toBe(0)
      expect(asked + number(refused, 'Retry-After')).toBeGreaterThanOrEqual(number(refused, 'X-RateLimit-Reset') - 0.5)
    }),
  )

  it(
    'ban a key whose requests continue, until an operator ends the ban',
    withinOneMinute(async () => {
      const { apiKey: key, keyId } = await issueKey('enterprise', { perMinute: 1, perDay: 1_000 })
      const responses = await together(150, () => call('GET', '/pets?limit=1', { key }))
      expect(responses.filter((response) => response.status === 200)).toHaveLength(1)
      const banned = await call('GET', '/pets', { key })
      expect(banned.json<ErrorBody>().code).toBe('api_key_banned')
      expect(number(banned, 'Retry-After')).toBeLessThanOrEqual(62)
      expect(number(banned, 'Retry-After')).toBeGreaterThan(30)
      expect(number(banned, 'X-RateLimit-Remaining')).toBe(0)
      expect(banned.headers.get('RateLimit')).toMatch(/^"minute";r=0;t=\d+, "day";r=0;t=\d+$/)
      await administration().unban(keyId)
      const codeNow = async () => (await call('GET', '/pets', { key })).json<ErrorBody>().code
      await expect.poll(codeNow, { interval: 200 }).toBe('rate_limit_exceeded')
    }),
  )

  it('show the end of the day where a ban ends before it', async () => {
    const { apiKey: key } = await issueKey('enterprise', { perMinute: 1_000, perDay: 1 })
    await together(150, () => call('GET', '/pets?limit=1', { key }))
    const banned = await call('GET', '/pets', { key })
    expect(banned.json<ErrorBody>().code).toBe('api_key_banned')
    expect(number(banned, 'X-RateLimit-Reset') % 86_400).toBe(0)
  })
})

describe.skipIf(!canIssueKeys)('a key', () => {
  it('stops working at the next request after it is revoked', async () => {
    const { apiKey: key, keyId } = await issueKey('free', fixedPlans.free)
    expect((await call('GET', '/pets', { key })).status).toBe(200)
    await administration().revoke(keyId)
    expect((await call('GET', '/pets', { key })).status).toBe(401)
  })

  it('works beside its successor while they overlap, and not after', async () => {
    const { apiKey: key, keyId } = await issueKey('free', fixedPlans.free)
    const { apiKey: successor } = await administration().rotate(keyId, { overlapSeconds: 2 })
    expect((await call('GET', '/pets', { key })).status).toBe(200)
    expect((await call('GET', '/pets', { key: successor })).status).toBe(200)
    await setTimeout(2_100)
    expect((await call('GET', '/pets', { key })).status).toBe(401)
    expect((await call('GET', '/pets', { key: successor })).status).toBe(200)
  })

  it(
    'has the limits of its new plan from the next request on, and what it used stays used',
    withinOneMinute(async () => {
      const { apiKey: key, keyId } = await issueKey('free', fixedPlans.free)
      await call('GET', '/pets', { key })
      await administration().move(keyId, 'pro', fixedPlans.pro)
      const response = await call('GET', '/pets', { key })
      expect(number(response, 'X-RateLimit-Limit')).toBe(fixedPlans.pro.perMinute)
      expect(number(response, 'X-RateLimit-Remaining')).toBe(fixedPlans.pro.perMinute - 2)
    }),
  )

  it('has an allowance that other keys do not use up', async () => {
    const { apiKey: one } = await issueKey('enterprise', { perMinute: 1_000, perDay: 1 })
    await call('GET', '/pets', { key: one })
    expect((await call('GET', '/pets', { key: one })).status).toBe(429)
    expect((await call('GET', '/pets', { key: apiKey })).status).toBe(200)
  })
})
