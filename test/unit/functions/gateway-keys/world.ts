import { LimitExceededException } from '@aws-sdk/client-api-gateway'
import { expect } from 'vitest'
import { followTable } from '../../../../functions/gateway-keys/follow-table.ts'
import { hashApiKey, type KeyHash } from '../../../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, isUsable, newGatewayKeyValue } from '../../../../shared/api-keys/api-key-record.ts'
import { type KeyChange, type StoredKey, valuesOf } from '../../../../shared/api-keys/key-table.ts'
import type { Plan } from '../../../../shared/api-keys/plans.ts'
import { noon, settableClock } from '../../../fixtures/settable-clock.ts'
import { apiKeyRecord } from '../../shared/api-keys/records.ts'

interface Run {
  /** What becomes of its calls, one after the other; those that follow are done. Its timeout cuts a run off. */
  readonly fates?: readonly ('done' | 'fails' | 'fails when done' | 'cut off')[]
  readonly turn?: (label: string) => Promise<unknown>
}

const hour = 3_600_000

/** How far the clock of an authorizer may be behind. */
const behindSeconds = 30

/** The longest from the authorizer's decision to API Gateway's metering, in milliseconds. */
const inFlight = 10_000

/** A table of keys and an API Gateway in memory, which check at each write whether a customer's request would be refused. */
export class World {
  readonly time = settableClock(noon)
  readonly records = new Map<KeyHash, ApiKeyRecord>()
  /** API Gateway's keys by its ids, with the plan that each is in, and since when (milliseconds). */
  readonly kept = new Map<string, { readonly value: string; readonly plan: Plan | undefined; readonly since: number }>()
  /** How many keys API Gateway has room for. */
  room = 10_000
  /** What must not be. */
  readonly #faults = new Set<string>()
  /** Until when (milliseconds) a request may be metered on a value. */
  readonly #neededUntil = new Map<string, number>()
  /** The values that somebody has changed by hand: their requests are refused until the next run. */
  readonly #tampered = new Set<string>()
  #made = 0

  issue(change: Partial<ApiKeyRecord> = {}): KeyHash {
    this.#made += 1
    const keyHash = hashApiKey(`key ${this.#made}`)
    this.records.set(keyHash, apiKeyRecord({ gatewayKey: newGatewayKeyValue(), ...change }))
    return keyHash
  }

  /** Puts a key into API Gateway, or into another plan. */
  keep(value: string, plan?: Plan, id?: string): string {
    this.#made += 1
    const given = id ?? `id ${this.#made}`
    this.kept.set(given, { value, plan, since: this.time.clock() })
    return given
  }

  write(keyHash: KeyHash, change: KeyChange): ApiKeyRecord | undefined {
    const record = this.records.get(keyHash)
    if (record === undefined) return undefined
    this.#check()
    const changed = { ...record, ...change }
    this.records.set(keyHash, changed)
    this.#check()
    return changed
  }

  /** Somebody changes the API Gateway key of a record by hand. */
  tamper(keyHash: KeyHash, change: 'delete' | 'take out' | 'put into another plan'): void {
    const { gatewayKey: value } = this.records.get(keyHash) ?? {}
    const [id] = [...this.kept].find(([, kept]) => kept.value === value) ?? []
    if (id === undefined || value === undefined) return
    this.#tampered.add(value)
    if (change === 'delete') this.kept.delete(id)
    else this.keep(value, change === 'take out' ? undefined : 'enterprise', id)
  }

  advance(seconds: number): void {
    this.time.advance(seconds)
    this.#check()
  }

  /** Runs the function as its schedule does, to its end or until something fails. */
  async run({ fates = [], turn = async () => undefined }: Run = {}): Promise<void> {
    const [left, start] = [[...fates], this.time.clock()]
    let isCutOff = false
    const meet = async <Result>(label: string, act: () => Result): Promise<Result> => {
      await turn(label)
      const fate = left.shift() ?? 'done'
      isCutOff ||= fate === 'cut off'
      if (isCutOff || fate === 'fails') throw new Error('It failed.')
      const result = act()
      if (fate === 'fails when done') throw new Error('Its response was lost.')
      return result
    }
    const { clock } = this.time
    const list = () => [...this.kept].map(([id, { value, plan }]) => ({ id, value, plan }))
    await followTable({
      clock,
      pause: async (milliseconds) => this.advance(milliseconds / 1_000),
      millisecondsLeft: () => (isCutOff ? 0 : start + 600_000 - clock()),
      gateway: {
        list: () => meet('list', list),
        create: async ({ gatewayKey, plan }) => {
          const id = await meet('create', () => this.#create(gatewayKey))
          await meet('place', () => this.#place(id, plan))
        },
        remove: (id) => meet('remove', () => this.#remove(id)),
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
    const kept = [...this.kept.values()].map(({ value, plan }) => `${value} ${plan}`)
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
      const key = [...this.kept.values()].find(({ value }) => value === gatewayKey)
      const isRight = key !== undefined && key.plan === plan && key.since <= now - hour
      if (!isRight && !this.#tampered.has(gatewayKey)) this.#faults.add(`${gatewayKey} is metered, and not in ${plan}`)
    }
  }

  #create(value: string): string {
    if (this.kept.size >= this.room) throw new LimitExceededException({ message: 'Full.', $metadata: {} })
    if ([...this.kept.values()].some((key) => key.value === value)) throw new Error('API Gateway has this value.')
    return this.keep(value)
  }

  #place(id: string, plan: Plan): void {
    const key = this.kept.get(id)
    if (key === undefined || key.plan !== undefined) throw new Error('There is no such key, or it is in a plan.')
    this.keep(key.value, plan, id)
  }

  #remove(id: string): void {
    const { value } = this.kept.get(id) ?? {}
    if (value === undefined) throw new Error('There is no such key.')
    this.#check()
    const isNeeded = (this.#neededUntil.get(value) ?? 0) > this.time.clock()
    if (isNeeded && !this.#tampered.has(value)) this.#faults.add(`${value} was deleted, and requests need it`)
    this.kept.delete(id)
  }

  #change({ keyHash, record: read }: StoredKey, change: KeyChange): ApiKeyRecord | undefined {
    const record = this.records.get(keyHash)
    const expected = { ...valuesOf(read, change), state: 'active' }
    const isAsRead = Object.entries(expected).every(([name, value]) => record && Reflect.get(record, name) === value)
    return isAsRead ? this.write(keyHash, change) : undefined
  }
}
