import { catalogue, type ErrorCode } from '../../../shared/errors/catalogue.ts'
import { crossOriginHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import type { Answer } from './request.ts'

/** The catalogue's answer for an error, where the request reaches no phase that the template describes an answer for. */
export const catalogueAnswer = (code: ErrorCode, message: string = catalogue[code].message): Answer => {
  const { status } = catalogue[code]
  return {
    status,
    headers: Object.entries({
      'Content-Type': 'application/json',
      ...crossOriginHeaders,
      ...noAllowanceHeaders,
    }),
    body: JSON.stringify({ code, message, status }),
  }
}

/** @param advice a sentence that says what to change */
export const badRequest = (...advice: readonly string[]): Answer =>
  catalogueAnswer('bad_request', [catalogue.bad_request.message, ...advice].join(' '))
