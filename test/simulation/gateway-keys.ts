/**
 * API Gateway's keys and usage plans, as AWS documents them ("Usage plans and API keys for REST APIs in API Gateway"):
 * a token bucket and a daily quota for each key. A new key works at the edge only after minutes.
 *
 * Unlike API Gateway, which applies its limits "on a best-effort basis", this one never admits more than they say, and
 * a deletion works at the edge at once.
 */
import type { GatewayKeyClient } from '../../functions/gateway-keys/api-gateway.ts'
import { calculateThrottle } from '../../infra/constructs/api/usage-plans.ts'
import { hashApiKey, type KeyHash } from '../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, readApiKey } from '../../shared/api-keys/api-key-record.ts'
import type { KeyTable } from '../../shared/api-keys/key-table.ts'
import { fixedPlans, type Limits, type Plan } from '../../shared/api-keys/plans.ts'
import { compareGatewayKeys, GatewayKeyModel } from '../fixtures/service/gateway-key-model.ts'
import type { Faults } from './faults.ts'
import { unlimitedGatewayKey } from './function-code.ts'
import type { History } from './history.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

export type EdgeRefusal = 'INVALID_API_KEY' | 'THROTTLED' | 'QUOTA_EXCEEDED'

/** The requests that a usage plan has metered on a key since it is in the plan. */
interface Meter {
  /** Time in milliseconds from which the edge knows the key in its plan. */
  readonly worksFrom: number
  tokens: number
  filledAt: number
  /** Requests on the UTC day `day`. */
  count: number
  day: number
}

/** The longest time until the edge knows a new key. */
const longestPropagationMilliseconds = 30 * 60_000

/** Time after the end of a key in which API Gateway may still have its gateway key. */
const endMarginSeconds = 300

interface GatewayKeysOptions {
  readonly time: VirtualTime
  readonly random: Random
  readonly faults: Faults
  readonly history: History
  /** Reads the API keys without faults. */
  readonly keyTable: Pick<KeyTable, 'list'>
}

export class SimulatedGatewayKeys implements GatewayKeyClient {
  readonly #options: GatewayKeysOptions
  readonly #model: GatewayKeyModel
  /** Meters by the values of the keys. */
  readonly #meters = new Map<string, Meter>()
  /** Hashes of API keys by the values of their gateway keys. No value is used twice, so no entry changes. */
  readonly #owners = new Map<unknown, KeyHash>()

  constructor(options: GatewayKeysOptions) {
    this.#options = options
    this.#model = new GatewayKeyModel(() => options.time.now)
  }

  /**
   * Meters a request that the authorizer has allowed. It must be metered on the gateway key of its own API key, or on
   * the unlimited one, and none must be refused.
   *
   * @returns why API Gateway refuses the request, or undefined
   */
  async meter(apiKey: string, value: string): Promise<EdgeRefusal | undefined> {
    if (value === unlimitedGatewayKey) return undefined
    const { history } = this.#options
    if (!this.#owners.has(value)) await this.#readOwners()
    const owner = this.#owners.get(value)
    // A command may have named another value meanwhile. Then nobody has this one.
    if (owner !== undefined && owner !== hashApiKey(apiKey)) {
      history.report('no request is billed to another key', apiKey, `metered on the gateway key of ${owner}`)
    }
    const refusal = this.#takeToken(value)
    if (refusal !== undefined) {
      history.report('API Gateway refuses no request that the table has admitted', apiKey, refusal)
    }
    return refusal
  }

  async #readOwners(): Promise<void> {
    for (const { gatewayKey, keyHash } of await this.#options.keyTable.list()) this.#owners.set(gatewayKey, keyHash)
  }

  #takeToken(value: string): EdgeRefusal | undefined {
    const plan = this.#model.find(value)?.plan
    const meter = this.#meters.get(value)
    const { now } = this.#options.time
    if (plan === undefined || meter === undefined || meter.worksFrom > now) return 'INVALID_API_KEY'
    return plan === 'enterprise' ? undefined : takeToken(meter, fixedPlans[plan], now)
  }

  async list() {
    await this.#call()
    return { gatewayKeys: this.#model.list(), isUnlimitedKeyUsable: true }
  }

  async create({ gatewayKey, plan }: { readonly gatewayKey: string; readonly plan: Plan }): Promise<void> {
    await this.#call()
    this.#model.create(gatewayKey)
    await this.#call()
    this.#model.addToUsagePlan(gatewayKey, plan)
    this.#meters.set(gatewayKey, {
      worksFrom: this.#options.time.now + this.#options.random.between(1_000, longestPropagationMilliseconds),
      tokens: Number.POSITIVE_INFINITY,
      filledAt: 0,
      count: 0,
      day: 0,
    })
    await this.#call()
  }

  async remove(id: string): Promise<void> {
    await this.#call()
    this.#model.remove(id)
    await this.#call()
  }

  /** Compares the keys with those that the table asks for, after two runs without faults. */
  async check(): Promise<void> {
    const { time, history, keyTable } = this.#options
    const storedKeys = await keyTable.list()
    const records = storedKeys.flatMap((stored): readonly ApiKeyRecord[] => {
      const reading = readApiKey(stored)
      return reading.kind === 'malformed' ? [] : [reading.value]
    })
    const { missing, unwanted } = compareGatewayKeys(records, this.#model.list(), time.now / 1_000, endMarginSeconds)
    if (missing.length + unwanted.length === 0) return
    history.report(
      'after two quiet runs API Gateway has exactly the keys asked for',
      'gateway-keys',
      `missing: ${missing.join(', ')}; unwanted: ${unwanted.join(', ')}`,
    )
  }

  /** Waits as long as a call of API Gateway takes. @throws Error if the call is drawn to fail */
  async #call(): Promise<void> {
    await this.#options.time.pause(300)
    if (this.#options.faults.drawCall() !== 'done') throw new Error('The call of API Gateway failed.')
  }
}

/** Takes a token and one request of the day. @returns why there is none, or undefined */
const takeToken = (meter: Meter, { perMinute, perDay }: Limits, now: number): EdgeRefusal | undefined => {
  const { rateLimit, burstLimit } = calculateThrottle(perMinute)
  meter.tokens = Math.min(burstLimit, meter.tokens + ((now - meter.filledAt) / 1_000) * rateLimit)
  meter.filledAt = now
  const day = Math.floor(now / 86_400_000)
  if (meter.day !== day) {
    meter.day = day
    meter.count = 0
  }

  if (meter.tokens < 1) return 'THROTTLED'
  if (meter.count >= perDay) return 'QUOTA_EXCEEDED'
  meter.tokens -= 1
  meter.count += 1
  return undefined
}
