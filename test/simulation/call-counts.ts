/** The part of a call's parameters that shows its kind. */
interface CallParameters {
  readonly TableName?: string
  readonly UpdateExpression?: string
}

/** The share of all calls below which a kind of call is rare, and the largest weight of a rare one. */
const commonShare = 0.3
const largestWeight = 100

/** Counts the calls of each kind, so that rare calls, such as that which bans a key, meet faults as often as others. */
export class CallCounts {
  readonly #counts = new Map<string, number>()
  #total = 0

  /** Counts a call. @returns a factor of the probability of faults: 1 for a usual call, more for a rare one */
  weigh(operation: string, { TableName = '', UpdateExpression = '' }: CallParameters): number {
    const kind = `${operation} ${TableName} ${UpdateExpression}`
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    this.#total += 1
    const share = count / this.#total
    return Math.min(Math.max(1, commonShare / share), largestWeight)
  }
}
