// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
export const bad_request = {"status":400,"message":"The request could not be understood."} as const
export const invalid_parameter = {"status":400,"message":"A parameter is invalid."} as const
export const invalid_cursor = {"status":400,"message":"cursor is not one that this API gave out. Leave it out to start from the first page."} as const
export const invalid_header = {"status":400,"message":"A header is invalid."} as const
export const malformed_json = {"status":400,"message":"The body is not valid JSON."} as const
export const invalid_body = {"status":400,"message":"The body is invalid."} as const
export const unauthorized = {"status":401,"message":"Send a valid API key in the header Authorization: Bearer <API_KEY>."} as const
export const insufficient_scope = {"status":403,"message":"This API key may only read. Use a key with the scope read-write."} as const
export const request_blocked = {"status":403,"message":"The request was blocked. Send fewer requests from this address."} as const
export const pet_not_found = {"status":404,"message":"There is no pet with this id."} as const
export const route_not_found = {"status":404,"message":"There is nothing at this path. Check it against the API reference."} as const
export const operation_removed = {"status":404,"message":"This operation was removed."} as const
export const method_not_allowed = {"status":405,"message":"This path does not have this method."} as const
export const request_too_large = {"status":413,"message":"The request is too large. Send a body of at most 16 KB (16,384 bytes)."} as const
export const unsupported_media_type = {"status":415,"message":"Send the body as JSON, with the header Content-Type: application/json."} as const
export const idempotency_key_reused = {"status":422,"message":"This Idempotency-Key was used with another body. Use a new key for a new pet."} as const
export const rate_limit_exceeded = {"status":429,"message":"The rate limit is used up. Wait for the time that Retry-After gives, and back off exponentially."} as const
export const api_key_banned = {"status":429,"message":"The API key is banned for a time, because requests went on after the limit was used up. Wait for the time that Retry-After gives."} as const
export const internal_error = {"status":500,"message":"The service failed to respond. Try again later."} as const
export const not_implemented = {"status":501,"message":"This operation is reserved and does nothing yet."} as const
export const service_unavailable = {"status":503,"message":"The service is unavailable at the moment. Try again in a moment."} as const
export const gateway_timeout = {"status":504,"message":"The service took too long to respond. Try again later."} as const

/** Every error that a caller can receive, with its message where there is no more exact one. */
export const catalogue = {
  bad_request,
  invalid_parameter,
  invalid_cursor,
  invalid_header,
  malformed_json,
  invalid_body,
  unauthorized,
  insufficient_scope,
  request_blocked,
  pet_not_found,
  route_not_found,
  operation_removed,
  method_not_allowed,
  request_too_large,
  unsupported_media_type,
  idempotency_key_reused,
  rate_limit_exceeded,
  api_key_banned,
  internal_error,
  not_implemented,
  service_unavailable,
  gateway_timeout,
} as const

export type ErrorCode = keyof typeof catalogue
