export interface HostileRequest {
  readonly method: string
  /** What follows the base URL: a path and a query. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
  /**
   * `valid`: nothing in it is against the contract. `broken`: one thing is, and nothing may come of it.
   * `garbage`: nobody knows, but every response must be of the contract.
   */
  readonly kind: 'valid' | 'broken' | 'garbage'
}

/** As a segment of a path, or as a part of a query. */
export const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** The path by which the contract names the response. Slashes before and after it make no difference to the gateway. */
export const pathOf = (target: string): string =>
  target
    .replace(/[?].*$/s, '')
    .replace(/^\/*/, '/')
    .replace(/\/+$/, '')
