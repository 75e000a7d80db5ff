import { catalogue, type ErrorCode } from './catalogue.ts'

interface Details {
  /** What to change, where more can be said than the catalogue says. */
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
  /** For the log only; a caller never sees it. */
  readonly cause?: unknown
}

/** A refusal or a failure of the catalogue. `shared/http` turns it into the answer. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, { message, headers = {}, cause }: Details = {}) {
    super(message ?? catalogue[code].message, { cause })
    this.name = 'ServiceError'
    this.code = code
    this.status = catalogue[code].status
    this.headers = headers
  }
}

/** The body of every answer that is an error. */
export const errorBody = ({ code, message, status }: ServiceError) => ({ code, message, status })
