import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { createAuthorizerContext } from '../../../../functions/authorizer/create-context.ts'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import type { KeyHash } from '../../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../../shared/api-keys/api-key-record.ts'
import type { Limits } from '../../../../shared/api-keys/plans.ts'
import type { AuthorizerContext } from '../../../../shared/http/authorizer-context.ts'
import type { CountedKey } from '../../../../shared/rate-limit/counted-key.ts'
import type { Decision } from '../../../../shared/rate-limit/rate-limiter.ts'
import { createKeyOperator, type KeyOperator } from '../../../fixtures/commands/key-operator.ts'
import { describeOnEachEngine } from '../../../fixtures/database/engines.ts'
import { createClientInTurns, itHoldsInEachOrder, lostResponses, orderCount } from '../../../fixtures/database/turns.ts'
import { testTime } from '../../../fixtures/service/clock.ts'
import { issueKey, noDeadline, openService, type Service } from '../../../fixtures/service/service.ts'

const endOfMinute = Date.UTC(2026, 10, 2, 12, 1)
const midnight = Date.UTC(2026, 10, 3)

const anyLimits = fc.record({
  perMinute: fc.integer({ min: 1, max: 4 }),
  perDay: fc.integer({ min: 4, max: 9 }),
})

/** Concurrent requests around the end of a window, each by the clock of an instance of its own. */
const anyRequests = fc.record({
  limits: anyLimits,
  /** Requests that end before the concurrent ones begin. */
  earlierRequests: fc.integer({ min: 1, max: 2 }),
  windowEnd: fc.constantFrom(endOfMinute, midnight),
  /** The clock of each request's instance, in milliseconds after the end of the window. */
  clockOffsets: fc.array(fc.integer({ min: -4_000, max: 4_000 }), { minLength: 4, maxLength: 8 }),
})

/** A command that an operator runs beside the requests. `rotate` replaces the key, and `move` gives it other limits. */
type Command = { readonly kind: 'revoke' | 'unban' | 'rotate' } | { readonly kind: 'move'; readonly limits: Limits }

const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ kind: 'revoke' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'unban' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'rotate' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), limits: anyLimits }) },
)

const noCommands: readonly Command[] = []
const neverLost = () => false

interface Disturbance {
  readonly commands: readonly Command[]
  readonly isLost: () => boolean
}

/** Either commands or lost responses, or neither. */
const anyDisturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.record({ commands: fc.array(anyCommand, { maxLength: 3 }), isLost: fc.constant(neverLost) }),
  fc.record({ commands: fc.constant(noCommands), isLost: lostResponses }),
)

/** The end of a request, or of a command that succeeded. */
type Event =
  | { readonly kind: 'request'; readonly clock: number; readonly decision: Decision }
  | { readonly kind: 'command'; readonly command: Command }

/** The records of the admitted requests as their writes left them, in the order of the writes. */
const listAdmittedRecords = (events: readonly Event[]): CountedKey[] => {
  const records: CountedKey[] = []
  for (const event of events) {
    if (event.kind === 'request' && event.decision.kind === 'admitted') records.push(event.decision.record)
  }
  return records
}

/** The names of the attributes that count the requests of each window. */
const windows = [
  { name: 'minute', windowAttribute: 'minuteWindow', countAttribute: 'minuteCount', limitAttribute: 'minuteLimit' },
  { name: 'day', windowAttribute: 'dayWindow', countAttribute: 'dayCount', limitAttribute: 'dayLimit' },
] as const
type WindowAttributes = (typeof windows)[number]

const countInWindow = (
  records: readonly CountedKey[],
  { windowAttribute }: WindowAttributes,
  windowNumber: number,
): number => records.filter((record) => record[windowAttribute] === windowNumber).length

const expectExactCounts = (
  admitted: readonly CountedKey[],
  { windowAttribute, countAttribute, limitAttribute }: WindowAttributes,
): void => {
  const windowNumbers = admitted.map((record) => record[windowAttribute])
  const inOrder = windowNumbers.toSorted((one, other) => one - other)
  expect(windowNumbers, 'no request is admitted in a window that has passed').toEqual(inOrder)

  const places = admitted.map((record) => `place ${record[countAttribute]} of window ${record[windowAttribute]}`)
  expect(new Set(places).size, 'each place of a window is given to one request').toBe(places.length)

  const beyondLimit = admitted.filter((record) => record[countAttribute] > record[limitAttribute])
  expect(beyondLimit, 'no window admits more requests than its limit').toEqual([])
}

const expectCountOfRecord = (
  record: CountedKey,
  admitted: readonly CountedKey[],
  window: WindowAttributes,
  lostResponseCount: number,
): void => {
  const count = record[window.countAttribute]
  const admittedInWindow = countInWindow(admitted, window, record[window.windowAttribute])
  expect(count, 'every admitted request is counted').toBeGreaterThanOrEqual(admittedInWindow)

  const maximum = admittedInWindow + lostResponseCount
  expect(count, 'a lost response counts one request once more at most').toBeLessThanOrEqual(maximum)
}

/**
 * Expects that each exhausted request came after enough admitted ones. A request whose response was lost is counted
 * before it is admitted.
 */
const expectUsedUp = (events: readonly Event[], window: WindowAttributes, lostResponseCount: number): void => {
  for (const [index, event] of events.entries()) {
    if (event.kind !== 'request' || event.decision.kind !== 'exhausted') continue
    const { record, bindingWindow } = event.decision
    if (bindingWindow.window !== window.name) continue

    const admittedBefore = listAdmittedRecords(events.slice(0, index))
    const counted = countInWindow(admittedBefore, window, record[window.windowAttribute]) + lostResponseCount
    const limit = record[window.limitAttribute]
    expect(counted, 'a request is exhausted only after its window was used up').toBeGreaterThanOrEqual(limit)
  }
}

/** The state of a key after the events so far. */
interface KeyState {
  isRevoked: boolean
  isRotated: boolean
  isBanned: boolean
  limits: Limits
}

const applyCommand = (command: Command, state: KeyState): void => {
  switch (command.kind) {
    case 'revoke':
      state.isRevoked = true
      break
    case 'rotate':
      state.isRotated = true
      break
    case 'unban':
      state.isBanned = false
      break
    case 'move':
      state.limits = command.limits
      break
  }
}

/** @param rotatedAt time (milliseconds) from which a rotated key has ended */
const expectStateInForce = (decision: Decision, clock: number, state: Readonly<KeyState>, rotatedAt: number): void => {
  switch (decision.kind) {
    case 'invalid':
      expect(state.isRevoked || state.isRotated, 'only a revoked or rotated key is invalid').toBe(true)
      break
    case 'admitted': {
      expect(state.isRevoked, 'no request of a revoked key is admitted').toBe(false)
      expect(state.isBanned, 'no request of a banned key is admitted').toBe(false)
      expect(state.isRotated && clock >= rotatedAt, 'no request of an expired key is admitted').toBe(false)
      const { minuteLimit, dayLimit } = decision.record
      const limits = { perMinute: minuteLimit, perDay: dayLimit }
      expect(limits, 'a moved key has its new limits at once').toEqual(state.limits)
      break
    }
  }
}

/** Compares each decision with the commands and the bans that came before the decision. */
const expectCommandsInForce = (events: readonly Event[], firstLimits: Limits, rotatedAt: number): void => {
  const state: KeyState = { isRevoked: false, isRotated: false, isBanned: false, limits: firstLimits }
  for (const event of events) {
    if (event.kind === 'command') applyCommand(event.command, state)
    else expectStateInForce(event.decision, event.clock, state, rotatedAt)
    if (event.kind === 'request' && event.decision.kind === 'banned') state.isBanned = true
  }
}

/** Runs a command. Returns false if the command fails because the key has ended. */
const runCommand = async (command: Command, keys: KeyOperator, keyId: KeyId): Promise<boolean> => {
  try {
    if (command.kind === 'revoke') await keys.revoke(keyId)
    if (command.kind === 'unban') await keys.unban(keyId)
    // The key ends at once, because the overlap has 0 seconds.
    if (command.kind === 'rotate') await keys.rotate(keyId, 0)
    if (command.kind === 'move') await keys.set(keyId, { plan: 'enterprise', ...command.limits })
    return true
  } catch (error) {
    if (error instanceof UserError) return false
    throw error
  }
}

describeOnEachEngine('the limits of concurrent requests', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await openService(engine)
  })

  const bans = { refusalsBeforeBan: 2, firstBanSeconds: 60, longestBanSeconds: 3_600 }

  /** Sends a request by an instance whose clock stands still. */
  const sendRequest = async (keyHash: KeyHash, clock: number, client = service.client): Promise<Event> => {
    const limiter = service.createLimiter({ bans, client, clock: () => clock })
    return { kind: 'request', clock, decision: await limiter.decide(keyHash, noDeadline) }
  }

  // Each expectation names its invariant. Responses of DynamoDB get lost, or operators run commands.
  itHoldsInEachOrder(
    'limits are exact in each order of the calls of concurrent requests',
    fc.record({ requests: anyRequests, disturbance: anyDisturbance }),
    async (turns, { requests, disturbance: { commands, isLost } }) => {
      const { limits, earlierRequests, windowEnd, clockOffsets } = requests
      const { keyHash, keyId } = await issueKey(service, limits)
      const events: Event[] = []
      // The clocks of the concurrent requests are at most four seconds before the end of the window.
      for (let sent = 0; sent < earlierRequests; sent += 1) {
        events.push(await sendRequest(keyHash, windowEnd - 5_000))
      }

      let lostResponseCount = 0
      const isLostAndCounted = (): boolean => {
        const isNextLost = isLost()
        if (isNextLost) lostResponseCount += 1
        return isNextLost
      }
      const client = createClientInTurns(engine, turns, { isLost: isLostAndCounted })
      const database = createClientInTurns(engine, turns)
      const keys = createKeyOperator({ name: 'local', database, tables: service.tables }, { clock: () => windowEnd })

      const senders = clockOffsets.map((offset) => async () => {
        events.push(await sendRequest(keyHash, windowEnd + offset, client))
      })
      const operators = commands.map((command) => async () => {
        const isDone = await runCommand(command, keys, keyId)
        // The last call of a command is its write, so the command is in force from here on.
        if (isDone) events.push({ kind: 'command', command })
      })
      await turns.run([...senders, ...operators])

      expectCommandsInForce(events, limits, windowEnd)
      const record = await service.keys.show(keyId)
      // Operators may unban the key, and then it may be banned again.
      if (commands.length === 0) expect(record.banCount, 'concurrent refusals ban a key once').toBeLessThanOrEqual(1)

      const admitted = listAdmittedRecords(events)
      for (const window of windows) {
        expectExactCounts(admitted, window)
        expectCountOfRecord(record, admitted, window, lostResponseCount)
        expectUsedUp(events, window, lostResponseCount)
      }
    },
    // Twice the usual number, because half of the orders have commands, and half have lost responses.
    2 * orderCount,
  )

  /** A key that is refused some times, by instances whose clocks differ, before its caller waits. */
  const anyRefusals = fc.record({
    limits: fc.constantFrom({ perMinute: 1, perDay: 9 }, { perMinute: 9, perDay: 1 }, { perMinute: 1, perDay: 1 }),
    /** Milliseconds after the minute began: in its first half, or around its end. */
    start: fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 58_000, max: 61_000 })),
    refusals: fc.integer({ min: 1, max: 5 }),
    /** Milliseconds by which the clock of each instance is ahead. */
    clockSkews: fc.array(fc.integer({ min: -250, max: 250 }), { minLength: 2, maxLength: 4 }),
  })

  /** Reads the seconds to wait: `Retry-After`, and the longest `t` of the windows of `RateLimit` that are used up. */
  const readWaits = ({ retryAfter, rateLimitWindows }: AuthorizerContext): readonly number[] => {
    const usedUp = [...rateLimitWindows.matchAll(/r=0;t=(\d+)/g)]
    return [Number(retryAfter), Math.max(...usedUp.map(([, seconds]) => Number(seconds)))]
  }

  // Clocks differ by up to half a second, and nothing else is sent. Nobody waits longer than the shorter of both waits.
  it('a request after Retry-After, or after t of the windows used up, is admitted by each instance', async () => {
    const longBans = { refusalsBeforeBan: 3, firstBanSeconds: 90, longestBanSeconds: 90 }
    // The test time is ten seconds after noon.
    const startOfMinute = testTime - 10_000
    const property = fc.asyncProperty(anyRefusals, async ({ limits, start, refusals, clockSkews }) => {
      service.time.setMilliseconds(startOfMinute + start)
      const { keyHash } = await issueKey(service, limits)
      const createInstance = (skew: number) =>
        service.createLimiter({ bans: longBans, clock: () => service.time.clock() + skew })
      const instances = clockSkews.map(createInstance)

      // The first requests use up a window, and around its end the next one too.
      let refused = 0
      let waitSeconds = 0
      for (let turn = 0; refused < refusals; turn += 1) {
        const instance = instances[turn % instances.length] ?? createInstance(0)
        const decision = await instance.decide(keyHash, noDeadline)
        if (decision.kind === 'admitted' || decision.kind === 'invalid') continue
        refused += 1
        waitSeconds = Math.min(...readWaits(createAuthorizerContext(decision)))
      }
      service.time.advanceSeconds(waitSeconds)

      // The slowest clock is the last to show that the wait is over.
      const slowestClock = createInstance(Math.min(...clockSkews))
      expect((await slowestClock.decide(keyHash, noDeadline)).kind).toBe('admitted')
    })

    // Twice the usual number, because limits, starts and clocks are drawn too.
    await fc.assert(property, { numRuns: 2 * orderCount, endOnFailure: true })
  })
})
