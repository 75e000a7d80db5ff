/**
 * API Gateway's keys and usage plans, as AWS documents them ("Usage plans and API keys for REST APIs in API Gateway"):
 * a token bucket and a daily quota for each key. A new key works at the edge only after minutes.
 *
 * Unlike API Gateway, which applies its limits "on a best-effort basis", this one never admits more than they say. It
 * lists all keys at one moment, without pages, a deletion works at the edge at once, and there is no quota of calls.
 */
import { LimitExceededException } from '@aws-sdk/client-api-gateway'
import type { GatewayKey, GatewayKeyClient } from '../../functions/gateway-keys/api-gateway.ts'
import { calculateThrottle } from '../../infra/constructs/api/usage-plans.ts'
import { fixedPlans, type Limits, type Plan } from '../../shared/api-keys/plans.ts'
import type { Faults } from './faults.ts'
import { unlimitedGatewayKey } from './function-code.ts'
import type { Random } from './random.ts'
import { TokenBucket } from './token-bucket.ts'
import type { VirtualTime } from './virtual-time.ts'

export type EdgeRefusal = 'INVALID_API_KEY' | 'THROTTLED' | 'QUOTA_EXCEEDED'

interface PlacedKey {
  readonly id: string
  readonly value: string
  plan: Plan | undefined
  /** Time in milliseconds from which the edge knows the key in its plan. */
  worksFrom: number
  bucket: TokenBucket
  /** Requests on the UTC day `day`. */
  count: number
  day: number
}

/** The longest time until the edge knows a new key. */
const longestPropagationMilliseconds = 30 * 60_000

const maximumKeys = 10_000

export class SimulatedGatewayKeys implements GatewayKeyClient {
  readonly #time: VirtualTime
  readonly #random: Random
  readonly #faults: Faults
  readonly #keys = new Map<string, PlacedKey>()
  #nextId = 1

  constructor(time: VirtualTime, random: Random, faults: Faults) {
    this.#time = time
    this.#random = random
    this.#faults = faults
  }

  /** Meters a request on a key. @returns why API Gateway refuses the request, or undefined */
  meter(value: string): EdgeRefusal | undefined {
    if (value === unlimitedGatewayKey) return undefined
    const key = [...this.#keys.values()].find((candidate) => candidate.value === value)
    const now = this.#time.now
    if (key?.plan === undefined || key.worksFrom > now) return 'INVALID_API_KEY'
    if (key.plan === 'enterprise') return undefined
    return this.#meterInPlan(key, fixedPlans[key.plan], now)
  }

  async list(): Promise<GatewayKey[]> {
    await this.#call()
    return [...this.#keys.values()].map(({ id, value, plan }) => ({ id, value, plan }))
  }

  async create({ gatewayKey, plan }: { readonly gatewayKey: string; readonly plan: Plan }): Promise<void> {
    await this.#call()
    if (this.#keys.size >= maximumKeys) throw new LimitExceededException({ message: 'Full.', $metadata: {} })
    const isTaken = [...this.#keys.values()].some(({ value }) => value === gatewayKey)
    if (isTaken) throw new Error('API Gateway has a key with this value.')

    const id = `id-${this.#nextId}`
    this.#nextId += 1
    const key: PlacedKey = {
      id,
      value: gatewayKey,
      plan: undefined,
      worksFrom: Number.POSITIVE_INFINITY,
      bucket: new TokenBucket(),
      count: 0,
      day: 0,
    }
    this.#keys.set(id, key)
    await this.#call()
    key.plan = plan
    key.worksFrom = this.#time.now + this.#random.between(1_000, longestPropagationMilliseconds)
    key.bucket = new TokenBucket()
    await this.#call()
  }

  async remove(id: string): Promise<void> {
    await this.#call()
    if (!this.#keys.delete(id)) throw new Error('API Gateway has no such key.')
    await this.#call()
  }

  /** Takes the time of a call, which may fail. */
  async #call(): Promise<void> {
    await this.#time.pause(300)
    if (this.#faults.drawCall() !== 'done') throw new Error('The call of API Gateway failed.')
  }

  #meterInPlan(key: PlacedKey, { perMinute, perDay }: Limits, now: number): EdgeRefusal | undefined {
    const { rateLimit, burstLimit } = calculateThrottle(perMinute)
    const hasToken = key.bucket.fill(now, rateLimit, burstLimit)
    const day = Math.floor(now / 86_400_000)
    if (key.day !== day) {
      key.day = day
      key.count = 0
    }

    if (!hasToken) return 'THROTTLED'
    if (key.count >= perDay) return 'QUOTA_EXCEEDED'
    key.bucket.take()
    key.count += 1
    return undefined
  }
}
