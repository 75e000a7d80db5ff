import type { KeyHash } from '../api-keys/api-key.ts'

/**
 * The most keys that a memory holds. Most keys are remembered for a minute at most, and in that time an instance serves
 * fewer keys.
 */
const maximumKeys = 1_000

/**
 * A memory of an instance: a value for each of the latest keys, until a time (milliseconds). When the memory is full,
 * it forgets the oldest key. It remembers only keys that exist, so a caller cannot fill it with invented keys.
 */
export class KeyMemory<Value> {
  readonly #remembered = new Map<KeyHash, { readonly value: Value; readonly until: number }>()

  recall(keyHash: KeyHash, now: number): Value | undefined {
    const remembered = this.#remembered.get(keyHash)
    return remembered !== undefined && remembered.until > now ? remembered.value : undefined
  }

  remember(keyHash: KeyHash, value: Value, until: number): void {
    // A map keeps the order in which its keys were first set. Deleting the key first makes it the newest.
    this.#remembered.delete(keyHash)
    this.#remembered.set(keyHash, { value, until })
    if (this.#remembered.size > maximumKeys) this.#forgetOldest()
  }

  forget(keyHash: KeyHash): void {
    this.#remembered.delete(keyHash)
  }

  #forgetOldest(): void {
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest)
      return
    }
  }
}
