import type { KeyHash } from '../api-keys/api-key.ts'

/** More than an instance serves in the time for which it remembers most of them. */
export const maximumKeys = 1_000

/** What an instance remembers of keys that exist, each until a time (milliseconds). It forgets the oldest first. */
export class KeyMemory<Value> {
  readonly #remembered = new Map<KeyHash, { readonly value: Value; readonly until: number }>()

  recall(keyHash: KeyHash, now: number): Value | undefined {
    const remembered = this.#remembered.get(keyHash)
    return remembered !== undefined && remembered.until > now ? remembered.value : undefined
  }

  remember(keyHash: KeyHash, value: Value, until: number): void {
    this.#remembered.delete(keyHash)
    this.#remembered.set(keyHash, { value, until })
    if (this.#remembered.size <= maximumKeys) return
    // A map keeps the order in which its keys were set.
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest)
      break
    }
  }

  forget(keyHash: KeyHash): void {
    this.#remembered.delete(keyHash)
  }
}
