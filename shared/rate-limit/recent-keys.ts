import type { KeyHash } from '../api-keys/api-key.ts'
import { KnownKey } from './known-key.ts'

/** Some hundred bytes for each of their items. */
const mostKeys = 1_000

/** What this instance knows of the keys that came last. */
export class RecentKeys {
  readonly #keys = new Map<KeyHash, KnownKey>()

  recall(keyHash: KeyHash): KnownKey {
    const key = this.#keys.get(keyHash) ?? new KnownKey(keyHash)
    // A map keeps the order in which its entries were added.
    this.#keys.delete(keyHash)
    this.#keys.set(keyHash, key)
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= mostKeys) break
      this.#keys.delete(oldest)
    }
    return key
  }

  forget(keyHash: KeyHash): void {
    this.#keys.delete(keyHash)
  }
}
