import { catalogue, type ErrorCode } from './contract/generated/errors.ts'

interface Details {
  /** A message for the caller that is more exact than the catalogue's; default: the catalogue's. */
  readonly message?: string
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>>
  /** The cause for the log; a caller never sees it. */
  readonly cause?: unknown
}

/**
 * An error of the catalogue. `shared/http/response/response.ts` turns it into a response.
 *
 * @example throw new ServiceError('insufficient_scope')
 */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, { message, headers = {}, cause }: Details = {}) {
    super(message ?? catalogue[code].message, { cause })
    this.code = code
    this.status = catalogue[code].status
    this.headers = headers
  }
}

/** Value of `Retry-After` while the service is unavailable: whole seconds. */
export const unavailableRetryAfter = '1'

/** Creates the error of a service that is unavailable for the moment. */
export const createUnavailableError = (cause: unknown): ServiceError =>
  new ServiceError('service_unavailable', { headers: { 'Retry-After': unavailableRetryAfter }, cause })

/** Creates the body of an error response. */
export const createErrorBody = ({ code, message, status }: ServiceError) => ({ code, message, status })
