import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import {
  type ApiResponse,
  canIssueKeys,
  issueKey,
  itWithinOneMinute,
  requireKeyOperator,
  send,
  sendConcurrently,
} from './api.ts'

const listPets = (key: string): Promise<ApiResponse> => send('GET', '/pets?limit=1', { key })

const readNumberHeader = ({ headers }: ApiResponse, name: string): number => Number(headers.get(name))

const { perMinute, perDay } = fixedPlans.pro

/** Checks that a response shows how many requests remain to a key of the plan `pro`. */
const expectRemaining = (response: ApiResponse, inMinute: number, inDay: number): void => {
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-ratelimit-limit': String(perMinute),
    'x-ratelimit-remaining': String(inMinute),
    'ratelimit-policy': `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
    ratelimit: expect.stringMatching(`^"minute";r=${inMinute};t=\\d+, "day";r=${inDay};t=\\d+$`),
  })
}

describe.skipIf(!canIssueKeys)('an API key', () => {
  itWithinOneMinute('the limits of a key count down with each response, whatever its status', async () => {
    const { key } = await issueKey('pro', fixedPlans.pro)
    const startedAt = Date.now() / 1_000

    const list = await listPets(key)
    const unknownPet = await send('GET', '/pets/0', { key })
    const unknownRoute = await send('PUT', '/nothing', { key })

    expect(list.status).toBe(200)
    expectRemaining(list, perMinute - 1, perDay - 1)
    expect(unknownPet.status).toBe(404)
    expectRemaining(unknownPet, perMinute - 2, perDay - 2)
    expect(unknownRoute.status).toBe(404)
    expectRemaining(unknownRoute, perMinute - 3, perDay - 3)
    for (const response of [list, unknownPet, unknownRoute]) {
      const resetAt = readNumberHeader(response, 'X-RateLimit-Reset')
      expect(resetAt % 60, 'the window ends with a minute').toBe(0)
      // The clock of a deployed API may differ from this machine's.
      expect(resetAt, 'the window has not ended').toBeGreaterThan(startedAt - 5)
    }
  })

  itWithinOneMinute('exactly as many concurrent requests are admitted as the limit of the key', async () => {
    const { key } = await issueKey('enterprise', { perMinute: 60, perDay: 1_000 })

    // 60 are admitted, 100 are refused, and 50 more meet the ban.
    const responses = await sendConcurrently(210, () => listPets(key))
    // Time of the last response. It is late for the other responses.
    const receivedAt = Date.now() / 1_000

    const refused = responses.filter(({ status }) => status === 429)
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(60)
    expect(refused).toHaveLength(150)
    for (const response of refused) {
      // The clock of a deployed API may be a little ahead of this machine's.
      const retryAt = receivedAt + readNumberHeader(response, 'Retry-After')
      expect(retryAt, 'no retry before the reset').toBeGreaterThan(
        readNumberHeader(response, 'X-RateLimit-Reset') - 0.5,
      )
    }
  })

  itWithinOneMinute('a key is banned when requests go on over its limit, until an operator ends the ban', async () => {
    const { key, keyId } = await issueKey('enterprise', { perMinute: 1, perDay: 1_000 })
    // One is admitted, 100 are refused, and 50 more meet the ban.
    await sendConcurrently(151, () => listPets(key))

    const banned = await listPets(key)
    expect(banned.json()).toMatchObject({ code: 'api_key_banned' })
    // The first ban lasts 60 seconds and ends with a whole second, so up to 61 seconds are left. Retry-After adds one.
    expect(readNumberHeader(banned, 'Retry-After')).toBeLessThanOrEqual(62)
    // A banned key has no requests left in any window.
    expect(banned.headers.get('RateLimit')).toMatch(/^"minute";r=0;t=\d+, "day";r=0;t=\d+$/)

    await requireKeyOperator().unban(keyId)
    const listAgain = async () => (await listPets(key)).json()
    await expect.poll(listAgain, { interval: 200 }).toMatchObject({ code: 'rate_limit_exceeded' })
  })

  it('a key works beside its successor until it is revoked', async () => {
    const { key, keyId } = await issueKey('free', fixedPlans.free)
    const { apiKey: successor } = await requireKeyOperator().rotate(keyId, 60)

    expect((await listPets(key)).status).toBe(200)
    expect((await listPets(successor)).status).toBe(200)

    await requireKeyOperator().revoke(keyId)
    expect((await listPets(key)).status).toBe(401)
    expect((await listPets(successor)).status).toBe(200)
  })
})
