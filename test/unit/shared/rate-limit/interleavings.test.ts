import fc from 'fast-check'
import { beforeAll, expect } from 'vitest'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { administer, type KeyAdministration } from '../../../../infra/operations/keys/administration.ts'
import type { Allowance } from '../../../../shared/api-keys/plans.ts'
import type { Admission } from '../../../../shared/rate-limit/admission.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service } from '../../../fixtures/service.ts'
import { clientInTurns, itHoldsInEachOrder, losses, type Turns } from '../../../fixtures/turns.ts'

const bans = { refusalsBeforeBan: 2, firstBanSeconds: 60, longestBanSeconds: 3_600 }

/** The end of a minute, and of a day with its last minute. */
const boundaries = [Date.UTC(2026, 10, 2, 12, 1), Date.UTC(2026, 10, 3)]

const allowance = fc.record({ perMinute: fc.integer({ min: 1, max: 4 }), perDay: fc.integer({ min: 3, max: 9 }) })

/** Requests around the end of a window, each by the clock of another instance; `earlier` ones came before them. */
const requests = fc.record({
  boundary: fc.constantFrom(...boundaries),
  earlier: fc.integer({ min: 1, max: 2 }),
  offsets: fc.array(fc.integer({ min: -4_000, max: 4_000 }), { minLength: 4, maxLength: 8 }),
})

type Command =
  | { readonly kind: 'revoke' }
  | { readonly kind: 'unban' }
  | { readonly kind: 'rotate' }
  | { readonly kind: 'move'; readonly to: Allowance }

const commands = fc.array(
  fc.oneof(
    fc.constantFrom<Command>({ kind: 'revoke' }, { kind: 'unban' }, { kind: 'rotate' }),
    allowance.map((to): Command => ({ kind: 'move', to })),
  ),
  { maxLength: 3 },
)

/** What has come to its end: a request, with its instance's time, or a command's change of the key's record. */
type Ended = { readonly at: number; readonly admission: Admission } | { readonly command: Command }

const admittedOf = (ended: readonly Ended[]) =>
  ended.flatMap((one) =>
    'admission' in one && one.admission.kind === 'admitted' ? [{ at: one.at, record: one.admission.record }] : [],
  )

/** Each place of a window is given to one request alone, none beyond its end, and none of a window that has passed. */
const expectExactCounts = (ended: readonly Ended[]): void => {
  const records = admittedOf(ended).map(({ record }) => record)
  for (const [window, count, limit] of [
    ['minuteWindow', 'minuteCount', 'minuteLimit'],
    ['dayWindow', 'dayCount', 'dayLimit'],
  ] as const) {
    const windows = records.map((record) => record[window])
    expect(windows).toEqual(windows.toSorted((one, other) => one - other))
    const places = records.map((record) => `${record[window]} ${record[count]}`)
    expect(new Set(places).size).toBe(places.length)
    expect(records.filter((record) => record[count] > record[limit])).toEqual([])
  }
}

describeOnEachEngine('for each order of the calls of requests', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await openService(engine)
  })

  const race = async (
    turns: Turns,
    { boundary, earlier, offsets }: { boundary: number; earlier: number; offsets: readonly number[] },
    key: { limits: Allowance; commands?: readonly Command[]; isLost?: () => boolean },
  ) => {
    const { keyHash, keyId } = await issueKey(service, key.limits)
    const client = clientInTurns(engine, turns, key.isLost)
    const before = boundary - 5_000
    const ended: Ended[] = []
    for (let request = 0; request < earlier; request += 1) {
      ended.push({ at: before, admission: await service.limiter({ clock: () => before, bans }).admit(keyHash) })
    }
    await turns.run<unknown>([
      ...offsets.map((offset) => async () => {
        const at = boundary + offset
        ended.push({ at, admission: await service.limiter({ client, clock: () => at, bans }).admit(keyHash) })
      }),
      ...(key.commands ?? []).map((command) => () => {
        const commanding = clientInTurns(engine, turns)
        commanding.middlewareStack.add(
          (next, { commandName = '' }) =>
            async (given) => {
              const result = await next(given)
              // The change is in force at once, whatever else the command does.
              if (/^(Update|Transact)/.test(commandName)) ended.push({ command })
              return result
            },
          { step: 'initialize', name: 'watch' },
        )
        const place = { environment: 'local', database: commanding, tables: service.tables } as const
        return carryOut(
          administer(place, () => boundary),
          keyId,
          command,
        )
      }),
    ])
    return { ended, record: await service.keys.show(keyId) }
  }

  itHoldsInEachOrder(
    'no window admits more than its limit, and no request is refused below the limit',
    [requests, allowance],
    async (turns, sent, limits) => {
      const { ended, record } = await race(turns, sent, { limits })
      expectExactCounts(ended)
      const records = admittedOf(ended).map((one) => one.record)
      expect(record.minuteCount).toBe(records.filter((one) => one.minuteWindow === record.minuteWindow).length)
      expect(record.dayCount).toBe(records.filter((one) => one.dayWindow === record.dayWindow).length)
      for (const one of ended) {
        if (!('admission' in one) || one.admission.kind !== 'exhausted') continue
        const { bindingWindow, record: full } = one.admission
        const [window, limit] =
          bindingWindow.window === 'minute'
            ? (['minuteWindow', 'perMinute'] as const)
            : (['dayWindow', 'perDay'] as const)
        expect(records.filter((other) => other[window] === full[window])).toHaveLength(limits[limit])
      }
    },
  )

  itHoldsInEachOrder(
    'no request of a revoked, banned or expired key is admitted, and a moved key has its new limits',
    [requests, allowance, commands],
    async (turns, sent, limits, given) => {
      const { ended } = await race(turns, sent, { limits, commands: given })
      expectExactCounts(ended)
      let [isRevoked, isExpired, isBanned] = [false, false, false]
      let inForce = limits
      for (const one of ended) {
        if ('command' in one) {
          const { command } = one
          if (command.kind === 'revoke') isRevoked = true
          if (command.kind === 'rotate') isExpired = true
          if (command.kind === 'unban') isBanned = false
          if (command.kind === 'move') inForce = command.to
        } else if (one.admission.kind === 'banned') isBanned = true
        else if (one.admission.kind === 'admitted') {
          const { minuteLimit, dayLimit } = one.admission.record
          const stops = [isRevoked, isBanned, isExpired && one.at >= sent.boundary]
          expect(stops, 'revoked, banned, expired').toEqual([false, false, false])
          expect({ perMinute: minuteLimit, perDay: dayLimit }).toEqual(inForce)
        } else if (one.admission.kind === 'invalid') expect(isRevoked || isExpired).toBe(true)
      }
    },
  )

  itHoldsInEachOrder(
    'no request is admitted uncounted when responses are lost',
    [requests, allowance, losses],
    async (turns, sent, limits, isLost) => {
      let lost = 0
      const loses = (): boolean => {
        const loses = isLost()
        if (loses) lost += 1
        return loses
      }
      const { ended, record } = await race(turns, sent, { limits, isLost: loses })
      expectExactCounts(ended)
      const counted = admittedOf(ended).filter((one) => one.record.dayWindow === record.dayWindow).length
      expect(record.dayCount).toBeGreaterThanOrEqual(counted)
      expect(record.dayCount).toBeLessThanOrEqual(counted + lost)
    },
  )

  itHoldsInEachOrder(
    'sequential requests count once each when responses are lost',
    [fc.integer({ min: 3, max: 6 }), losses],
    async (turns, count, isLost) => {
      const { keyHash, keyId } = await issueKey(service, { perMinute: 100, perDay: 100 })
      const limiter = service.limiter({ client: clientInTurns(engine, turns, isLost) })
      const sendAll = async () => {
        for (let sent = 0; sent < count; sent += 1) expect((await limiter.admit(keyHash)).kind).toBe('admitted')
      }
      await turns.run([sendAll])
      expect((await service.keys.show(keyId)).dayCount).toBe(count)
    },
  )
})

const carryOut = async (keys: KeyAdministration, keyId: string, command: Command): Promise<void> => {
  try {
    switch (command.kind) {
      case 'revoke':
        await keys.revoke(keyId)
        break
      case 'unban':
        await keys.unban(keyId)
        break
      case 'rotate':
        await keys.rotate(keyId, { overlapSeconds: 0 })
        break
      case 'move':
        await keys.move(keyId, 'enterprise', command.to)
    }
  } catch (error) {
    // What is revoked or expired by then is neither rotated nor moved.
    if (!(error instanceof UserError)) throw error
  }
}
