import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiResponse } from './api-response.ts'
import { LimitRules } from './limit-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

/** Creates a response of the service. `RateLimit` tells the requests that remain. */
const createResponse = (
  status: number,
  remaining: number,
  more: Readonly<Record<string, string>> = {},
): ApiResponse => ({
  status,
  headers: Object.entries({ RateLimit: `"minute";r=${remaining};t=44, "day";r=900;t=43190`, ...more }),
  body: status < 400 ? '{}' : JSON.stringify({ code: 'rate_limit_exceeded', message: 'Used up.', status }),
})

/** A response of the edge itself, which has no limit headers. */
const createEdgeResponse = (status: number): ApiResponse => ({
  status,
  headers: [],
  body: JSON.stringify({ code: 'rate_limit_exceeded', message: 'Throttled.', status }),
})

const apiKey = 'pet_test_key'

/** Creates the rules of a caller that sends one request after the other. */
const createLimitRules = (perMinute = 60, perDay = 1_000): LimitRules => {
  const rules = new LimitRules(history.time, history)
  rules.addKey(apiKey, 'the caller', { perMinute, perDay }, true)
  return rules
}

/** Sends a request, whose response comes 50 ms later. */
const send = async (rules: LimitRules, response: ApiResponse): Promise<void> => {
  const attempt = rules.begin(apiKey)
  await history.letPass(50)
  rules.end(attempt, response)
}

/** Sends a request whose response is lost. */
const sendAndLose = async (rules: LimitRules, response: ApiResponse): Promise<void> => {
  const attempt = rules.begin(apiKey)
  await history.letPass(50)
  rules.lose(attempt, response)
}

describe('no window is over its limit', () => {
  const invariant = 'no window is over its limit'
  const admitted = createResponse(200, 0)

  it('is broken by a request too many in a minute', async () => {
    const rules = createLimitRules(1)
    await send(rules, admitted)
    await send(rules, admitted)

    expect(history.listBroken()).toEqual([invariant])
  })

  it('is broken by a request too many in a minute, although its response is lost', async () => {
    const rules = createLimitRules(1)
    await sendAndLose(rules, admitted)
    await sendAndLose(rules, admitted)

    expect(history.listBroken()).toEqual([invariant])
  })

  it('is broken by a request too many in a day', async () => {
    const rules = createLimitRules(60, 1)
    await send(rules, admitted)
    await history.letPass(3_600_000)
    await send(rules, admitted)

    expect(history.listBroken()).toEqual([invariant])
  })

  it('is broken after a move to smaller limits', async () => {
    const rules = createLimitRules(60, 60)
    rules.expectLimits(apiKey, { perMinute: 1, perDay: 60 })()
    await history.letPass(180_000)
    await send(rules, admitted)
    await send(rules, admitted)

    expect(history.listBroken()).toEqual([invariant])
  })

  it('holds if the windows are used up', async () => {
    const rules = createLimitRules(1, 2)
    await send(rules, admitted)
    await history.letPass(60_000)
    await send(rules, admitted)
    await send(rules, createResponse(429, 0, { 'Retry-After': '44' }))
    await history.letPass(86_400_000)
    await send(rules, admitted)

    expect(history.listBroken()).toEqual([])
  })

  it('holds for a request that begins at the end of a minute', async () => {
    const rules = createLimitRules(1)
    await send(rules, admitted)
    await history.letPass(49_900)
    await send(rules, admitted)

    expect(history.listBroken()).toEqual([])
  })

  it('holds for the earlier limits if a move may not have happened', async () => {
    const rules = createLimitRules(2)
    rules.expectLimits(apiKey, { perMinute: 1, perDay: 1_000 })
    await history.letPass(180_000)
    await send(rules, admitted)
    await send(rules, admitted)

    expect(history.listBroken()).toEqual([])
  })

  it('holds for the larger limit of two moves that run at once', async () => {
    const rules = createLimitRules(1)
    const confirmFirst = rules.expectLimits(apiKey, { perMinute: 2, perDay: 1_000 })
    const confirmSecond = rules.expectLimits(apiKey, { perMinute: 1, perDay: 1_000 })
    await history.letPass(10)
    confirmFirst()
    confirmSecond()
    await history.letPass(180_000)
    await send(rules, admitted)
    await send(rules, admitted)

    expect(history.listBroken()).toEqual([])
  })
})

describe('no request is refused that the last headers allowed', () => {
  const invariant = 'no request is refused that the last headers allowed'
  const refused = createResponse(429, 0, { 'Retry-After': '44' })

  it('is broken by a refusal of the last request that remained', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 1))
    await send(rules, refused)

    expect(history.listBroken()).toEqual([invariant])
  })

  it('is broken also after a response was lost', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 2))
    await sendAndLose(rules, createResponse(200, 1))
    await send(rules, refused)

    expect(history.listBroken()).toEqual([invariant])
  })

  it('holds if no request remained', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 0))
    await send(rules, refused)

    expect(history.listBroken()).toEqual([])
  })

  it('holds if a request whose response was lost took the last one', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 1))
    await sendAndLose(rules, createResponse(200, 0))
    await send(rules, refused)

    expect(history.listBroken()).toEqual([])
  })

  it('holds if a request of which API Gateway lost sight may have taken the last one', async () => {
    const rules = createLimitRules()
    await sendAndLose(rules, createEdgeResponse(504))
    await send(rules, createResponse(200, 1))
    await send(rules, refused)

    expect(history.listBroken()).toEqual([])
  })

  it('holds if another request is under way', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 2))
    rules.begin(apiKey)
    await send(rules, refused)

    expect(history.listBroken()).toEqual([])
  })

  it('holds if an operator changes the key', async () => {
    const rules = createLimitRules()
    await send(rules, createResponse(200, 1))
    rules.expectChange(apiKey)
    await send(rules, refused)

    expect(history.listBroken()).toEqual([])
  })
})

describe('who waits as long as Retry-After says is admitted', () => {
  const refused = createResponse(429, 0, { 'Retry-After': '10' })

  it('is broken by a second refusal after the wait', async () => {
    const rules = createLimitRules()
    await send(rules, refused)
    await history.letPass(10_000)
    await send(rules, refused)

    expect(history.listBroken()).toEqual(['who waits as long as Retry-After says is admitted'])
  })

  it('holds for a second refusal during the wait', async () => {
    const rules = createLimitRules()
    await send(rules, refused)
    await history.letPass(9_999)
    await send(rules, refused)

    expect(history.listBroken()).toEqual([])
  })
})

describe('no key works after its end', () => {
  const invariant = 'no key works after its end'
  /** Clocks of instances may be behind for so long. */
  const margin = 600

  /** Sends a request some time after the end of its key. @returns the broken invariants */
  const sendAfterEnd = async (milliseconds: number, response: ApiResponse): Promise<readonly string[]> => {
    const rules = createLimitRules()
    rules.endKey(apiKey, history.time.now)
    await history.letPass(milliseconds)
    await send(rules, response)
    return history.listBroken()
  }

  const banned: ApiResponse = {
    ...createResponse(429, 0, { 'Retry-After': '44' }),
    body: JSON.stringify({ code: 'api_key_banned', message: 'Banned.', status: 429 }),
  }

  it('is broken by a success', async () => {
    expect(await sendAfterEnd(margin + 1, createResponse(200, 5))).toEqual([invariant])
  })

  it('is broken by an error of the operation', async () => {
    expect(await sendAfterEnd(margin + 1, createResponse(404, 5))).toEqual([invariant])
  })

  it('is broken by a refusal for a limit', async () => {
    expect(await sendAfterEnd(margin + 1, createResponse(429, 0, { 'Retry-After': '44' }))).toEqual([invariant])
  })

  it('is broken by a success whose response is lost', async () => {
    const rules = createLimitRules()
    rules.endKey(apiKey, history.time.now)
    await history.letPass(margin + 1)
    await sendAndLose(rules, createResponse(200, 5))

    expect(history.listBroken()).toEqual([invariant])
  })

  it('is broken by a ban that an instance remembers for too long', async () => {
    expect(await sendAfterEnd(margin + 2_001, banned)).toEqual([invariant])
  })

  it('holds for a ban that an instance remembers', async () => {
    expect(await sendAfterEnd(margin + 2_000, banned)).toEqual([])
  })

  it('holds for a request that began before the end', async () => {
    expect(await sendAfterEnd(margin, createResponse(200, 5))).toEqual([])
  })

  it('holds for the response 401', async () => {
    expect(await sendAfterEnd(margin + 1, createEdgeResponse(401))).toEqual([])
  })

  it('holds for an error of the service', async () => {
    expect(await sendAfterEnd(margin + 1, createEdgeResponse(503))).toEqual([])
  })

  it('holds for a refusal by the throttle of the method', async () => {
    expect(await sendAfterEnd(margin + 1, createEdgeResponse(429))).toEqual([])
  })
})
