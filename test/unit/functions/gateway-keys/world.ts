import { expect } from 'vitest'
import type { ApiGateway } from '../../../../functions/gateway-keys/api-gateway.ts'
import { followTable, type Surroundings } from '../../../../functions/gateway-keys/follow-table.ts'
import type { GatewayKey, Step } from '../../../../functions/gateway-keys/steps.ts'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  isUsable,
  type KeyId,
  newGatewayKeyValue,
} from '../../../../shared/api-keys/api-key-record.ts'
import type { StoredKey } from '../../../../shared/api-keys/key-table.ts'
import type { Plan } from '../../../../shared/api-keys/plans.ts'
import { noon, settableClock } from '../../../fixtures/settable-clock.ts'
import { apiKeyRecord } from '../../shared/api-keys/records.ts'

/** What becomes of a call to API Gateway or the table. */
export const fates = ['done', 'fails', 'fails when done', 'cut off'] as const

export type Fate = (typeof fates)[number]

/** The function was cut off, as at its timeout. */
export class CutOff extends Error {}

export interface Run {
  /** Of its calls, one after the other; those that follow are done. */
  readonly fates?: readonly Fate[]
  readonly turn?: (label: string) => Promise<void>
}

/** API Gateway's key, with the plans that it is in, each from when on (milliseconds). */
interface KeptKey {
  readonly value: string
  readonly plans: Map<Plan, number>
}

const hour = 3_600_000

/** How far the clock of an authorizer may be behind. */
const behindSeconds = 30

/** The longest from the authorizer's decision to API Gateway's metering, in milliseconds. */
const inFlight = 10_000

/** A table of keys and an API Gateway in memory, which check at each call that no customer's request is refused. */
export const createWorld = ({ room = 10_000 } = {}) => {
  const time = settableClock(noon)
  const records = new Map<string, ApiKeyRecord>()
  const kept = new Map<string, KeptKey>()
  /** Until when (milliseconds) a request may be metered on a value. */
  const neededUntil = new Map<string, number>()
  /** The values that somebody has changed by hand: their requests are refused until the next run. */
  const tampered = new Set<string>()
  const reported: Step['kind'][] = []
  let issued = 0

  const isMetered = ({ meteredFrom = Number.POSITIVE_INFINITY, ...record }: ApiKeyRecord): boolean =>
    isUsable(record, time.clock() / 1_000 - behindSeconds) && meteredFrom * 1_000 <= time.clock()

  /** Every metered record has had its key in its plan, and in no other, for an hour. */
  const check = (): void => {
    for (const record of records.values()) {
      const { gatewayKey = '', plan } = record
      if (!isMetered(record)) continue
      neededUntil.set(gatewayKey, time.clock() + inFlight)
      if (tampered.has(gatewayKey)) continue
      const key = [...kept.values()].find(({ value }) => value === gatewayKey)
      expect([...(key?.plans.keys() ?? [])]).toEqual([plan])
      expect(key?.plans.get(plan)).toBeLessThanOrEqual(time.clock() - hour)
    }
  }

  const write = (keyHash: string, change: Partial<ApiKeyRecord>): void => {
    const record = records.get(keyHash)
    if (record === undefined) return
    check()
    records.set(keyHash, { ...record, ...change })
    check()
  }

  const gateway: ApiGateway = {
    list: async () => [...kept].map(([id, { value, plans }]): GatewayKey => ({ id, value, plans: [...plans.keys()] })),
    create: async (_record, value) => {
      if (kept.size >= room) throw Object.assign(new Error('Full.'), { name: 'LimitExceededException' })
      if ([...kept.values()].some((key) => key.value === value)) throw new Error('API Gateway has this value.')
      issued += 1
      kept.set(`id${issued}`, { value, plans: new Map() })
      return `id${issued}`
    },
    place: async (id, plan) => {
      const key = kept.get(id)
      if (key === undefined || key.plans.size > 0) throw new Error('There is no such key, or it is in a plan.')
      key.plans.set(plan, time.clock())
    },
    remove: async (id) => {
      const { value = '' } = kept.get(id) ?? {}
      check()
      if (!tampered.has(value)) expect(neededUntil.get(value) ?? 0).toBeLessThanOrEqual(time.clock())
      kept.delete(id)
    },
  }

  const table: Surroundings['table'] = {
    // The hash of a stored key is that under which it was issued.
    list: async () => [...records].map(([keyHash, record]) => ({ keyHash, record }) as StoredKey),
    change: async (keyHash, change, expected = {}) => {
      const record = records.get(keyHash)
      const isAsExpected =
        record !== undefined && Object.entries(expected).every(([name, value]) => Reflect.get(record, name) === value)
      if (!isAsExpected) return undefined
      write(keyHash, change)
      return records.get(keyHash)
    },
  }

  const run = async ({ fates = [], turn = async () => undefined }: Run = {}): Promise<void> => {
    const left = [...fates]
    const call = async <Result>(label: string, work: () => Promise<Result>): Promise<Result> => {
      await turn(label)
      const fate = left.shift() ?? 'done'
      if (fate === 'cut off') throw new CutOff()
      if (fate === 'fails') throw new Error('It failed.')
      const result = await work()
      if (fate === 'fails when done') throw new Error('Its response was lost.')
      return result
    }
    const start = time.clock()
    try {
      await followTable({
        clock: time.clock,
        gateway: {
          list: () => call('list keys', gateway.list),
          create: (...given) => call('create', () => gateway.create(...given)),
          place: (...given) => call('place', () => gateway.place(...given)),
          remove: (...given) => call('remove', () => gateway.remove(...given)),
        },
        table: {
          list: () => call('list records', table.list),
          change: (...given) => call('change', () => table.change(...given)),
        },
        pause: async (milliseconds) => time.advance(milliseconds / 1_000),
        isLate: () => time.clock() - start > 600_000,
        report: ({ kind }, error) => {
          if (error instanceof CutOff || (error instanceof Error && error.name === 'AssertionError')) throw error
          reported.push(kind)
        },
      })
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') throw error
    }
  }

  return {
    time,
    records,
    kept,
    reported,
    check,
    run,
    issue: (change: Partial<ApiKeyRecord> = {}): string => {
      issued += 1
      const keyHash = hashApiKey(String(issued))
      // An id that was never issued.
      const keyId = `key_${issued}` as KeyId
      records.set(keyHash, apiKeyRecord({ keyId, gatewayKey: newGatewayKeyValue(), ...change }))
      return keyHash
    },
    /** What the command `move` writes. */
    move: (keyHash: string, plan: Plan) =>
      write(keyHash, { plan, gatewayKey: newGatewayKeyValue(), meteredFrom: undefined }),
    revoke: (keyHash: string) => write(keyHash, { state: 'revoked' }),
    /** Somebody adds a key at API Gateway by hand. */
    add: (value: string, plans: readonly Plan[]): void => {
      issued += 1
      kept.set(`id${issued}`, { value, plans: new Map(plans.map((plan) => [plan, time.clock()])) })
    },
    /** Somebody changes a key at API Gateway by hand. */
    tamper: (keyHash: string, change: 'delete' | 'take out' | 'add to another'): void => {
      const { gatewayKey = '' } = records.get(keyHash) ?? {}
      const [id, key] = [...kept].find(([, { value }]) => value === gatewayKey) ?? []
      if (id === undefined || key === undefined) return
      tampered.add(gatewayKey)
      if (change === 'delete') kept.delete(id)
      else if (change === 'take out') key.plans.clear()
      else key.plans.set('enterprise', time.clock())
    },
    /** API Gateway has just the keys that usable records ask for, each in its plan, and each record is metered. */
    expectAgreement: (): void => {
      const usable = [...records.values()].filter((record) => isUsable(record, time.clock() / 1_000))
      expect([...kept.values()].map(({ value, plans }) => [value, ...plans.keys()]).toSorted()).toEqual(
        usable.map(({ gatewayKey, plan }) => [gatewayKey, plan]).toSorted(),
      )
      expect(usable.filter(({ meteredFrom }) => meteredFrom === undefined)).toEqual([])
    },
  }
}

export type World = ReturnType<typeof createWorld>
