import type { KeyHash } from '../api-keys/api-key.ts'

/**
 * Maximum number of keys in a memory. A key is remembered for two seconds at most. In that time an instance serves
 * fewer keys than this, so none is forgotten early.
 */
const maximumKeys = 1_000

/**
 * The memory of an instance: it keeps a value for each of the latest keys, each until a time of its own. When the
 * memory is full, it forgets the oldest key. Only keys that exist are remembered, so a caller cannot fill it with
 * invented keys.
 */
export class KeyMemory<Value> {
  readonly #remembered = new Map<KeyHash, { readonly value: Value; readonly untilSeconds: number }>()

  recall(keyHash: KeyHash, nowSeconds: number): Value | undefined {
    const remembered = this.#remembered.get(keyHash)
    return remembered !== undefined && remembered.untilSeconds > nowSeconds ? remembered.value : undefined
  }

  remember(keyHash: KeyHash, value: Value, untilSeconds: number): void {
    // A map keeps the order in which its keys were first set. Deleting the key first makes it the newest.
    this.#remembered.delete(keyHash)
    this.#remembered.set(keyHash, { value, untilSeconds })
    const [oldestKey] = this.#remembered.keys()
    if (this.#remembered.size > maximumKeys && oldestKey !== undefined) this.#remembered.delete(oldestKey)
  }
}
