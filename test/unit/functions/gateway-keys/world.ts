import { expect } from 'vitest'
import type { ApiGateway } from '../../../../functions/gateway-keys/api-gateway.ts'
import { followTable, type Surroundings } from '../../../../functions/gateway-keys/follow-table.ts'
import type { Step } from '../../../../functions/gateway-keys/steps.ts'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  isUsable,
  type KeyId,
  newGatewayKeyValue,
} from '../../../../shared/api-keys/api-key-record.ts'
import { type StoredKey, valuesOf } from '../../../../shared/api-keys/key-table.ts'
import type { Plan } from '../../../../shared/api-keys/plans.ts'
import { noon, settableClock } from '../../../fixtures/settable-clock.ts'
import { apiKeyRecord } from '../../shared/api-keys/records.ts'

/** What becomes of a call to API Gateway or the table. */
export const fates = ['done', 'fails', 'fails when done', 'cut off'] as const

/** The function was cut off, as at its timeout. */
class CutOff extends Error {}

interface Run {
  /** Of its calls, one after the other; those that follow are done. */
  readonly fates?: readonly (typeof fates)[number][]
  readonly turn?: (label: string) => Promise<void>
}

/** API Gateway's key, with the plan that it is in, and since when (milliseconds). */
interface KeptKey {
  readonly value: string
  readonly plan: Plan | undefined
  readonly since: number
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

  const nextNumber = (): number => {
    issued += 1
    return issued
  }

  const keep = (value: string, plan: Plan | undefined, id = `id${nextNumber()}`): string => {
    kept.set(id, { value, plan, since: time.clock() })
    return id
  }

  const isMetered = ({ meteredFrom = Number.POSITIVE_INFINITY, ...record }: ApiKeyRecord): boolean =>
    isUsable(record, time.clock() / 1_000 - behindSeconds) && meteredFrom * 1_000 <= time.clock()

  /** Every metered record has had its key in its plan for an hour. */
  const check = (): void => {
    for (const { gatewayKey, plan } of [...records.values()].filter(isMetered)) {
      neededUntil.set(gatewayKey, time.clock() + inFlight)
      if (tampered.has(gatewayKey)) continue
      const key = [...kept.values()].find(({ value }) => value === gatewayKey)
      expect(key?.plan).toBe(plan)
      expect(key?.since).toBeLessThanOrEqual(time.clock() - hour)
    }
  }

  const write = (keyHash: string, change: Partial<ApiKeyRecord>): ApiKeyRecord | undefined => {
    const record = records.get(keyHash)
    if (record === undefined) return undefined
    check()
    records.set(keyHash, { ...record, ...change })
    check()
    return records.get(keyHash)
  }

  const gateway: ApiGateway = {
    list: async () => [...kept].map(([id, { value, plan }]) => ({ id, value, plan })),
    create: async ({ gatewayKey }) => {
      if (kept.size >= room) throw Object.assign(new Error('Full.'), { name: 'LimitExceededException' })
      if ([...kept.values()].some((key) => key.value === gatewayKey)) throw new Error('API Gateway has this value.')
      return keep(gatewayKey, undefined)
    },
    place: async (id, plan) => {
      const key = kept.get(id)
      if (key === undefined || key.plan !== undefined) throw new Error('There is no such key, or it is in a plan.')
      keep(key.value, plan, id)
    },
    remove: async (id) => {
      const { value } = kept.get(id) ?? {}
      if (value === undefined) throw new Error('There is no such key.')
      check()
      if (!tampered.has(value)) expect(neededUntil.get(value) ?? 0).toBeLessThanOrEqual(time.clock())
      kept.delete(id)
    },
  }

  const table: Surroundings['table'] = {
    // The hash of a stored key is that under which it was issued.
    list: async () => [...records].map(([keyHash, record]) => ({ keyHash, record }) as StoredKey),
    change: async ({ keyHash, record: read }, change) => {
      const expected = { ...valuesOf(read, change), state: 'active' }
      const record = records.get(keyHash)
      const isAsRead = Object.entries(expected).every(([name, value]) => record && Reflect.get(record, name) === value)
      return isAsRead ? write(keyHash, change) : undefined
    },
  }

  const run = async ({ fates = [], turn = async () => undefined }: Run = {}): Promise<void> => {
    const left = [...fates]
    /** The same part of the world, whose calls wait for their turn and meet their fates. */
    const reached = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get:
          (_part, label: string) =>
          async (...given: readonly unknown[]) => {
            await turn(label)
            const fate = left.shift() ?? 'done'
            if (fate === 'cut off') throw new CutOff()
            if (fate === 'fails') throw new Error('It failed.')
            const result: unknown = await Reflect.get<object, string>(part, label)(...given)
            if (fate === 'fails when done') throw new Error('Its response was lost.')
            return result
          },
      })
    const start = time.clock()
    try {
      await followTable({
        ...{ clock: time.clock, gateway: reached(gateway), table: reached(table) },
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
    ...{ time, records, kept, reported, check, run, keep },
    issue: (change: Partial<ApiKeyRecord> = {}): string => {
      const number = nextNumber()
      const keyHash = hashApiKey(String(number))
      // An id that was never issued.
      const keyId = `key_${number}` as KeyId
      records.set(keyHash, apiKeyRecord({ keyId, gatewayKey: newGatewayKeyValue(), ...change }))
      return keyHash
    },
    /** What the command `move` writes. */
    move: (keyHash: string, plan: Plan) =>
      write(keyHash, { plan, gatewayKey: newGatewayKeyValue(), meteredFrom: undefined }),
    revoke: (keyHash: string) => write(keyHash, { state: 'revoked' }),
    /** Somebody changes a key at API Gateway by hand. */
    tamper: (keyHash: string, change: 'delete' | 'take out' | 'put into another plan'): void => {
      const [id, key] = [...kept].find(([, { value }]) => value === records.get(keyHash)?.gatewayKey) ?? []
      if (id === undefined || key === undefined) return
      tampered.add(key.value)
      if (change === 'delete') kept.delete(id)
      else keep(key.value, change === 'take out' ? undefined : 'enterprise', id)
    },
    /** API Gateway has just the keys that usable records ask for, each in its plan, and each record is metered. */
    expectAgreement: (): void => {
      const usable = [...records.values()].filter((record) => isUsable(record, time.clock() / 1_000))
      expect([...kept.values()].map(({ value, plan }) => [value, plan]).toSorted()).toEqual(
        usable.map(({ gatewayKey, plan }) => [gatewayKey, plan]).toSorted(),
      )
      expect(usable.filter(({ meteredFrom }) => meteredFrom === undefined)).toEqual([])
    },
  }
}

export type World = ReturnType<typeof createWorld>
