import type { components } from '../contract/generated/types.ts'

export type ErrorCode = components['schemas']['ErrorCode']

export interface CatalogueEntry {
  readonly status: number
  /** What to change. A more exact message may replace it. */
  readonly message: string
}

// Two separate entries, so that the authorizer's bundle contains no other.

export const rateLimitExceeded = {
  status: 429,
  message: 'The rate limit is used up. Wait for the time that Retry-After gives, and back off exponentially.',
} as const satisfies CatalogueEntry

export const apiKeyBanned = {
  status: 429,
  message:
    'The API key is banned for a time, because requests went on after the limit was used up. Wait for the time that Retry-After gives.',
} as const satisfies CatalogueEntry

/**
 * Every error that a caller can receive from a function or from API Gateway. API Gateway inserts messages into JSON bodies
 * without escaping, so none has a double quote or a backslash.
 */
export const catalogue = {
  bad_request: { status: 400, message: 'The request could not be understood.' },
  invalid_parameter: { status: 400, message: 'A parameter is invalid.' },
  invalid_cursor: {
    status: 400,
    message: 'cursor is not one that this API gave out. Leave it out to start from the first page.',
  },
  invalid_header: { status: 400, message: 'A header is invalid.' },
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  invalid_body: { status: 400, message: 'The body is invalid.' },
  unauthorized: {
    status: 401,
    message: 'Send a valid API key in the header Authorization: Bearer <API_KEY>.',
  },
  insufficient_scope: { status: 403, message: 'This API key may only read. Use a key with the scope read-write.' },
  request_blocked: { status: 403, message: 'The request was blocked. Send fewer requests from this address.' },
  pet_not_found: { status: 404, message: 'There is no pet with this id.' },
  route_not_found: {
    status: 404,
    message: 'There is nothing at this path. Check it against the API reference.',
  },
  operation_removed: { status: 404, message: 'This operation was removed.' },
  method_not_allowed: { status: 405, message: 'This path does not have this method.' },
  idempotency_key_in_use: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running. Try again in a moment.',
  },
  request_too_large: {
    status: 413,
    message: 'The request is too large. Send a body of at most 16 KB (16,384 bytes).',
  },
  unsupported_media_type: {
    status: 415,
    message: 'Send the body as JSON, with the header Content-Type: application/json.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with another body. Use a new key for a new pet.',
  },
  rate_limit_exceeded: rateLimitExceeded,
  api_key_banned: apiKeyBanned,
  internal_error: { status: 500, message: 'The service failed to respond. Try again later.' },
  not_implemented: { status: 501, message: 'This operation is reserved and does nothing yet.' },
  service_unavailable: {
    status: 503,
    message: 'The service cannot reach its data at the moment. Try again in a moment.',
  },
  gateway_timeout: { status: 504, message: 'The service took too long to respond. Try again later.' },
} as const satisfies Record<ErrorCode, CatalogueEntry>
