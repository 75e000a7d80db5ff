import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { KeyAdministration } from '../../../../infra/operations/keys/administration.ts'
import type { Allowance } from '../../../../shared/api-keys/plans.ts'
import { createAuthorizerContext } from '../../../../shared/http/authorizer-context.ts'
import type { Admission } from '../../../../shared/rate-limit/admission.ts'
import { noon } from '../../../fixtures/clock.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service } from '../../../fixtures/service.ts'
import { chooseBySize } from '../../../fixtures/size.ts'
import { createClientInTurns, itHoldsInEachOrder, lostResponses, orderCount } from '../../../fixtures/turns.ts'

const bans = { refusalsBeforeBan: 2, firstBanSeconds: 60, longestBanSeconds: 3_600 }

/** The end of a minute, and of a day with its last minute. */
const boundaries = [Date.UTC(2026, 10, 2, 12, 1), Date.UTC(2026, 10, 3)]

const allowance = fc.record({ perMinute: fc.integer({ min: 1, max: 4 }), perDay: fc.integer({ min: 3, max: 9 }) })

/** Requests around the end of a window, each by the clock of another instance; `earlier` ones came before them. */
const requests = fc.record({
  boundary: fc.constantFrom(...boundaries),
  earlier: fc.integer({ min: 1, max: 2 }),
  offsets: fc.array(fc.integer({ min: -4_000, max: 4_000 }), { minLength: 4, maxLength: 8 }),
  limits: allowance,
})

/** What operators do meanwhile, with the new limits where one moves the key. */
const command = fc.record({ kind: fc.constantFrom('revoke', 'unban', 'rotate', 'move', 'move', 'move'), to: allowance })
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

/** Commands, or responses that get lost, or neither. */
const disturbances = fc.oneof(
  fc.record({ commands: fc.array(command, { maxLength: 3 }), isLost: fc.constant(() => false) }),
  fc.record({ commands: fc.constant<Command[]>([]), isLost: lostResponses }),
)

/** What has come to its end: a request, with its instance's time, or a command that was not refused. */
type Ended = { readonly at: number; readonly admission: Admission } | { readonly command: Command }

const admissionsOf = (ended: readonly Ended[], kind: 'admitted' | 'exhausted') =>
  ended.flatMap((one) =>
    'admission' in one && one.admission.kind !== 'invalid' && one.admission.kind === kind ? [one.admission] : [],
  )
const admittedOf = (ended: readonly Ended[]) => admissionsOf(ended, 'admitted').map(({ record }) => record)

const windows = [
  ['minuteWindow', 'minuteCount', 'minuteLimit'],
  ['dayWindow', 'dayCount', 'dayLimit'],
] as const

/** Each place of a window is given to one request alone, none beyond its end, and none of a window that has passed. */
const expectExactCounts = (ended: readonly Ended[]): void => {
  const records = admittedOf(ended)
  for (const [window, count, limit] of windows) {
    const numbers = records.map((record) => record[window])
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
    const places = records.map((record) => `${record[window]} ${record[count]}`)
    expect(new Set(places).size).toBe(places.length)
    expect(records.filter((record) => record[count] > record[limit])).toEqual([])
  }
}

/** No request of a revoked, banned or expired key is admitted, and a moved key has its new limits. */
const expectCommandsInForce = (ended: readonly Ended[], limits: Allowance, end: number): void => {
  const carriedOut = new Set<string>()
  let inForce = limits
  for (const one of ended) {
    if ('command' in one) {
      carriedOut.add(one.command.kind)
      if (one.command.kind === 'unban') carriedOut.delete('ban')
      if (one.command.kind === 'move') inForce = one.command.to
    } else if (one.admission.kind === 'banned') carriedOut.add('ban')
    else if (one.admission.kind === 'invalid') expect(carriedOut.has('revoke') || carriedOut.has('rotate')).toBe(true)
    else if (one.admission.kind === 'admitted') {
      const { minuteLimit, dayLimit } = one.admission.record
      const isExpired = carriedOut.has('rotate') && one.at >= end
      expect([carriedOut.has('revoke'), carriedOut.has('ban'), isExpired]).toEqual([false, false, false])
      expect({ perMinute: minuteLimit, perDay: dayLimit }).toEqual(inForce)
    }
  }
}

describeOnEachEngine('for each order of the calls of requests', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await openService(engine)
  })

  itHoldsInEachOrder(
    'no window admits more than its limit, none is refused below it, and each command is in force at once; a request whose response is lost counts twice at most',
    [requests, disturbances],
    async (turns, { boundary, earlier, offsets, limits }, { commands, isLost }) => {
      const { keyHash, keyId } = await issueKey(service, limits)
      const ended: Ended[] = []
      let lost = 0
      const admit = async (at: number, client = service.client): Promise<void> => {
        ended.push({ at, admission: await service.createLimiter({ client, clock: () => at, bans }).admit(keyHash) })
      }
      for (let request = 0; request < earlier; request += 1) await admit(boundary - 5_000)
      const client = createClientInTurns(engine, turns, () => {
        const isNext = isLost()
        lost += Number(isNext)
        return isNext
      })
      const database = createClientInTurns(engine, turns)
      const keys = new KeyAdministration({ name: 'local', database, tables: service.tables }, { clock: () => boundary })
      await turns.run([
        ...offsets.map((offset) => () => admit(boundary + offset, client)),
        ...commands.map((command) => async () => {
          try {
            if (command.kind === 'revoke') await keys.revoke(keyId)
            if (command.kind === 'unban') await keys.unban(keyId)
            if (command.kind === 'rotate') await keys.rotate(keyId, { overlapSeconds: 0 })
            if (command.kind === 'move') await keys.move(keyId, 'enterprise', command.to)
            // Its write was its last call, and is in force at once.
            ended.push({ command })
          } catch (error) {
            // What is revoked or expired by then is neither rotated nor moved.
            if (!(error instanceof UserError)) throw error
          }
        }),
      ])
      expectExactCounts(ended)
      expectCommandsInForce(ended, limits, boundary)
      const record = await service.keys.show(keyId)
      // Many refusals at once ban a key once.
      if (commands.length === 0) expect(record.banCount).toBeLessThanOrEqual(1)
      const records = admittedOf(ended)
      for (const [window, count, limit] of windows) {
        const admitted = records.filter((one) => one[window] === record[window]).length
        expect(record[count]).toBeGreaterThanOrEqual(admitted)
        expect(record[count]).toBeLessThanOrEqual(admitted + lost)
        for (const { bindingWindow, record: full } of admissionsOf(ended, 'exhausted')) {
          if (`${bindingWindow.window}Window` !== window) continue
          const before = records.filter((other) => other[window] === full[window]).length
          expect(before + lost).toBeGreaterThanOrEqual(full[limit])
        }
      }
    },
    2 * orderCount,
  )

  /** Where in a minute, in its first half or around its end, and by which clocks a key is refused and asks again. */
  const moments = fc.record({
    start: fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 58_000, max: 61_000 })),
    limits: fc.constantFrom({ perMinute: 1, perDay: 9 }, { perMinute: 9, perDay: 1 }, { perMinute: 1, perDay: 1 }),
    refusals: fc.integer({ min: 1, max: 5 }),
    skews: fc.array(fc.integer({ min: -250, max: 250 }), { minLength: 2, maxLength: 4 }),
  })

  it('a request after Retry-After is admitted by each instance where nothing else was sent, though clocks differ by up to half a second', async () => {
    const property = fc.asyncProperty(moments, async ({ start, limits, refusals, skews }) => {
      service.time.set(noon - 10_000 + start)
      const long = { refusalsBeforeBan: 3, firstBanSeconds: 90, longestBanSeconds: 90 }
      const byClock = (skew = 0) => service.createLimiter({ bans: long, clock: () => service.time.clock() + skew })
      const instances = skews.map(byClock)
      const { keyHash } = await issueKey(service, limits)
      let wait = 0
      // Whoever is admitted first uses up the window, and around its end the next one too.
      for (let refused = 0, turn = 0; refused < refusals; turn += 1) {
        const admission = await (instances[turn % instances.length] ?? byClock()).admit(keyHash)
        if (admission.kind === 'admitted' || admission.kind === 'invalid') continue
        refused += 1
        wait = Number(createAuthorizerContext(admission).retryAfter)
      }
      service.time.advance(wait)
      expect((await byClock(Math.min(...skews)).admit(keyHash)).kind).toBe('admitted')
    })
    await fc.assert(property, { numRuns: chooseBySize(12, 300), endOnFailure: true })
  })
})
