import { catalogue, type ErrorCode } from '../../../shared/errors/catalogue.ts'
import { crossOriginHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import type { HttpResponse } from './request.ts'

/** The catalogue's response for an error, where the request reaches no phase for which the template has a response. */
export const errorResponse = (code: ErrorCode, advice = ''): HttpResponse => {
  const { status, message } = catalogue[code]
  return {
    status,
    headers: Object.entries({ 'Content-Type': 'application/json', ...crossOriginHeaders, ...noAllowanceHeaders }),
    body: JSON.stringify({ code, message: `${message} ${advice}`.trim(), status }),
  }
}
