import { LimitExceededException } from '@aws-sdk/client-api-gateway'
import { expect } from 'vitest'
import { followTable } from '../../../../functions/gateway-keys/follow-table.ts'
import { hashApiKey, type KeyHash } from '../../../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, isUsable, newGatewayKeyValue } from '../../../../shared/api-keys/api-key-record.ts'
import { type KeyChange, type StoredKey, valuesOf } from '../../../../shared/api-keys/key-table.ts'
import type { Plan } from '../../../../shared/api-keys/plans.ts'
import { noon, settableClock } from '../../../fixtures/settable-clock.ts'
import { apiKeyRecord } from '../../shared/api-keys/records.ts'

/** What becomes of a call to API Gateway or the table. A run is cut off by its timeout. */
export type Fate = 'done' | 'fails' | 'fails when done' | 'cut off'

const hour = 3_600_000

/** How far the clock of an authorizer may be behind. */
const behindSeconds = 30

/** The longest from the authorizer's decision to API Gateway's metering, in milliseconds. */
const inFlight = 10_000

/** A table of keys and an API Gateway in memory, which check at each write whether a customer's request would be refused. */
export class World {
  readonly time = settableClock(noon)
  readonly records = new Map<KeyHash, ApiKeyRecord>()
  /** The values of API Gateway's keys, with the plan that each is in, and since when (milliseconds). */
  readonly kept = new Map<string, { readonly plan: Plan | undefined; readonly since: number }>()
  /** How many keys API Gateway has room for. */
  room = 10_000
  /** What must not be. */
  readonly #faults = new Set<string>()
  /** Until when (milliseconds) a request may be metered on a value. */
  readonly #neededUntil = new Map<string, number>()
  /** The values that somebody has changed by hand: their requests are refused until the next run. */
  readonly #tampered = new Set<string>()

  issue(change: Partial<ApiKeyRecord> = {}): KeyHash {
    const gatewayKey = newGatewayKeyValue()
    const keyHash = hashApiKey(gatewayKey)
    this.records.set(keyHash, apiKeyRecord({ gatewayKey, ...change }))
    return keyHash
  }

  write(keyHash: KeyHash, change: KeyChange): ApiKeyRecord | undefined {
    const record = this.records.get(keyHash)
    if (record === undefined) return undefined
    this.#check()
    this.records.set(keyHash, { ...record, ...change })
    this.#check()
    return this.records.get(keyHash)
  }

  keep(value: string, plan?: Plan): void {
    this.kept.set(value, { plan, since: this.time.clock() })
  }

  /** Somebody deletes the API Gateway key of a record by hand, or puts it into this plan or none. */
  tamper(keyHash: KeyHash, change: Plan | 'none' | 'deleted'): void {
    const { gatewayKey = '' } = this.records.get(keyHash) ?? {}
    if (!this.kept.delete(gatewayKey)) return
    this.#tampered.add(gatewayKey)
    if (change !== 'deleted') this.keep(gatewayKey, change === 'none' ? undefined : change)
  }

  advance(seconds: number): void {
    this.time.advance(seconds)
    this.#check()
  }

  /** Runs the function as its schedule does. Its calls meet these fates, one after the other; those that follow are done. */
  async run(fates: readonly Fate[] = [], turn = async (_call: string): Promise<unknown> => undefined): Promise<void> {
    const [left, end] = [[...fates], this.time.clock() + 600_000]
    let isCutOff = false
    const meet = async <Result>(call: string, act: () => Result): Promise<Result> => {
      await turn(call)
      const fate = left.shift() ?? 'done'
      isCutOff ||= fate === 'cut off'
      if (isCutOff || fate === 'fails') throw new Error('It failed.')
      const result = act()
      if (fate === 'fails when done') throw new Error('Its response was lost.')
      return result
    }
    const gatewayKeys = () => [...this.kept].map(([value, { plan }]) => ({ id: `id of ${value}`, value, plan }))
    await followTable({
      clock: this.time.clock,
      pause: async (milliseconds) => this.advance(milliseconds / 1_000),
      millisecondsLeft: () => (isCutOff ? 0 : end - this.time.clock()),
      gateway: {
        list: () => meet('list', gatewayKeys),
        create: ({ gatewayKey, plan }) => meet('create', () => this.#create(gatewayKey, plan)),
        remove: (id) => meet('remove', () => this.#remove(id.replace('id of ', ''))),
      },
      table: {
        list: () => meet('scan', () => [...this.records].map(([keyHash, record]) => ({ keyHash, record }))),
        change: (stored, change) => meet('change', () => this.#change(stored, change)),
      },
    }).catch(() => undefined)
  }

  /**
   * API Gateway has just the keys that usable records ask for, each in its plan, and each record is metered; and no
   * customer's request was refused on the way.
   */
  expectAgreement(): void {
    const usable = [...this.records.values()].filter((record) => isUsable(record, this.time.clock() / 1_000))
    const kept = [...this.kept].map(([value, { plan }]) => `${value} ${plan}`)
    expect(kept.toSorted()).toEqual(usable.map(({ gatewayKey, plan }) => `${gatewayKey} ${plan}`).toSorted())
    expect(usable.filter(({ meteredFrom }) => meteredFrom === undefined)).toEqual([])
    expect([...this.#faults]).toEqual([])
  }

  /** Every metered record has had its key in its plan for an hour. */
  #check(): void {
    const now = this.time.clock()
    for (const { gatewayKey, plan, meteredFrom = Number.POSITIVE_INFINITY, ...record } of this.records.values()) {
      if (meteredFrom * 1_000 > now || !isUsable(record, now / 1_000 - behindSeconds)) continue
      this.#neededUntil.set(gatewayKey, now + inFlight)
      const key = this.kept.get(gatewayKey)
      const isRight = key !== undefined && key.plan === plan && key.since <= now - hour
      if (!isRight && !this.#tampered.has(gatewayKey)) this.#faults.add(`${gatewayKey} is metered, and not in ${plan}`)
    }
  }

  #create(value: string, plan: Plan): void {
    if (this.kept.size >= this.room) throw new LimitExceededException({ message: 'Full.', $metadata: {} })
    if (this.kept.has(value)) throw new Error('API Gateway has this value.')
    this.keep(value, plan)
  }

  #remove(value: string): void {
    this.#check()
    const isNeeded = (this.#neededUntil.get(value) ?? 0) > this.time.clock()
    if (isNeeded && !this.#tampered.has(value)) this.#faults.add(`${value} was deleted, and requests need it`)
    if (!this.kept.delete(value)) throw new Error('There is no such key.')
  }

  #change({ keyHash, record: read }: StoredKey, change: KeyChange): ApiKeyRecord | undefined {
    const record = this.records.get(keyHash)
    const expected = { ...valuesOf(read, change), state: 'active' }
    const isAsRead = Object.entries(expected).every(([name, value]) => record && Reflect.get(record, name) === value)
    return isAsRead ? this.write(keyHash, change) : undefined
  }
}
