/** The bounds of dynalite's queries. */
export interface Range {
  readonly gt?: string
  readonly gte?: string
  readonly lt?: string
  readonly lte?: string
  readonly reverse?: boolean
}

/** JSON texts by their keys, in the order of the keys. */
export class SortedValues {
  readonly #values = new Map<string, string>()
  /** Sorted at the first range, and kept so from then on. */
  #keys: string[] | undefined

  get(key: string): string | undefined {
    return this.#values.get(key)
  }

  /** @param value `null` removes the key */
  set(key: string, value: string | null): void {
    if (value === null ? this.#values.has(key) : !this.#values.has(key)) {
      const keys = this.#keys
      if (value === null) keys?.splice(this.#place(keys, key), 1)
      else keys?.splice(this.#place(keys, key), 0, key)
    }
    if (value === null) this.#values.delete(key)
    else this.#values.set(key, value)
  }

  entries(): Iterable<readonly [key: string, value: string]> {
    return this.#values.entries()
  }

  *range({ gt, gte, lt, lte, reverse = false }: Range): Iterable<string> {
    this.#keys ??= [...this.#values.keys()].sort()
    const keys = this.#keys
    const above = (key: string): number => this.#place(keys, key) + (this.#values.has(key) ? 1 : 0)
    const start = gt !== undefined ? above(gt) : gte !== undefined ? this.#place(keys, gte) : 0
    const end = lt !== undefined ? this.#place(keys, lt) : lte !== undefined ? above(lte) : keys.length
    for (let count = 0; count < end - start; count += 1) {
      const value = this.#values.get(keys[reverse ? end - 1 - count : start + count] ?? '')
      if (value !== undefined) yield value
    }
  }

  /** Where a key is, or belongs. */
  #place(keys: readonly string[], key: string): number {
    let [low, high] = [0, keys.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((keys[middle] ?? '') < key) low = middle + 1
      else high = middle
    }
    return low
  }
}
