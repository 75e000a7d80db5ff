import type { KeyHash } from '../api-keys/api-key.ts'
import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'

/** Some hundred bytes each. */
const mostRecords = 1_000

/**
 * The records that this instance saw last, of the keys that came last. They may be out of date: good enough to word a
 * refusal, never to let anyone in.
 */
export class RecentRecords {
  readonly #records = new Map<KeyHash, ApiKeyRecord>()

  remember(keyHash: KeyHash, record: ApiKeyRecord): void {
    // A map keeps the order in which its entries were added.
    this.#records.delete(keyHash)
    this.#records.set(keyHash, record)
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= mostRecords) return
      this.#records.delete(oldest)
    }
  }

  recall(keyHash: KeyHash): ApiKeyRecord | undefined {
    return this.#records.get(keyHash)
  }
}
