/** A token bucket, as API Gateway's throttles have one. It is full at first. */
export class TokenBucket {
  #tokens = Number.POSITIVE_INFINITY
  #filledAt = 0

  /**
   * Fills the bucket up to the present.
   *
   * @param now milliseconds
   * @returns whether it has a token
   */
  fill(now: number, rateLimit: number, burstLimit: number): boolean {
    const refilled = this.#tokens + ((now - this.#filledAt) / 1_000) * rateLimit
    this.#tokens = Math.min(burstLimit, refilled)
    this.#filledAt = now
    return this.#tokens >= 1
  }

  /** Takes a token. */
  take(): void {
    this.#tokens -= 1
  }
}
