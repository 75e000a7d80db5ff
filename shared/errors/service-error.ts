import { catalogue, type ErrorCode } from '../contract/generated/errors.ts'

interface Details {
  /** What to change, where it is more exact than the catalogue's. */
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
  /** For the log only; a caller never sees it. */
  readonly cause?: unknown
}

/** An error of the catalogue. `shared/http/response.ts` turns it into a response. */
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

/** The service is unavailable for the moment. The caller may retry after a second. */
export const createUnavailableError = (cause: unknown): ServiceError =>
  new ServiceError('service_unavailable', { headers: { 'Retry-After': '1' }, cause })

/** The body of every error response. */
export const createErrorBody = ({ code, message, status }: ServiceError) => ({ code, message, status })
