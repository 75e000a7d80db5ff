import { hashApiKey, type KeyHash } from '../../shared/api-keys/api-key.ts'
import type { KeyTable } from '../../shared/api-keys/key-table.ts'
import type { EdgeObserver } from './edge.ts'
import { unlimitedGatewayKey } from './function-code.ts'
import type { History } from './history.ts'

/** Checks that each request is metered on the gateway key of its own API key, or on the unlimited one. */
export class Metering implements EdgeObserver {
  readonly #history: History
  readonly #table: Pick<KeyTable, 'list'>
  /** Hashes of API keys by the values of their gateway keys. No value is used twice, so no entry changes. */
  readonly #owners = new Map<unknown, KeyHash>()

  /** @param table reads the keys without faults */
  constructor(history: History, table: Pick<KeyTable, 'list'>) {
    this.#history = history
    this.#table = table
  }

  async onAuthorized(apiKey: string, usageIdentifierKey: string): Promise<void> {
    if (usageIdentifierKey === unlimitedGatewayKey) return
    if (!this.#owners.has(usageIdentifierKey)) await this.#readOwners()
    const owner = this.#owners.get(usageIdentifierKey)
    // A command may have named another value meanwhile. Then nobody has this one.
    if (owner === undefined || owner === hashApiKey(apiKey)) return
    this.#history.report('no request is billed to another key', apiKey, `metered on the gateway key of ${owner}`)
  }

  onRefused(apiKey: string, type: string): void {
    this.#history.report('API Gateway refuses no request that the table has admitted', apiKey, type)
  }

  async #readOwners(): Promise<void> {
    for (const { gatewayKey, keyHash } of await this.#table.list()) this.#owners.set(gatewayKey, keyHash)
  }
}
