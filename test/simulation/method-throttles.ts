import type { Faults } from './faults.ts'
import { TokenBucket } from './token-bucket.ts'
import type { VirtualTime } from './virtual-time.ts'

/**
 * The throttle of each method of the stage, a token bucket that all callers share. AWS documents that the throttle of a
 * stage applies to each of its methods ("Throttle requests to your REST APIs").
 */
export class MethodThrottles {
  readonly #time: VirtualTime
  readonly #faults: Faults
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(time: VirtualTime, faults: Faults) {
    this.#time = time
    this.#faults = faults
  }

  /** Takes a token for a request to a method. @returns whether there was one */
  admit(method: string): boolean {
    const { requestsPerSecond, burst } = this.#faults.methodThrottle
    const bucket = this.#buckets.get(method) ?? new TokenBucket()
    this.#buckets.set(method, bucket)
    const isAdmitted = bucket.fill(this.#time.now, requestsPerSecond, burst)
    if (isAdmitted) bucket.take()
    else this.#faults.countThrottledRequest()
    return isAdmitted
  }
}
