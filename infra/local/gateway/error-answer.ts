import { catalogue, type ErrorCode } from '../../../shared/errors/catalogue.ts'
import { crossOriginHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import type { Answer } from './request.ts'

/** The contract's error body, for what reaches no phase that the template describes an answer for. */
export const errorAnswer = (code: ErrorCode, message: string = catalogue[code].message): Answer => {
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
