import type { HttpResponse } from '../../infra/local/gateway/request.ts'
import type { ErrorCode } from '../../shared/contract/generated/errors.ts'

/** A response of the API, whose body is text. */
export type ApiResponse = HttpResponse & { readonly body: string }

export const isApiResponse = (response: HttpResponse): response is ApiResponse => typeof response.body === 'string'

/** Reads the code of an error response; undefined for a success. */
export const readCode = ({ status, body }: Pick<ApiResponse, 'status' | 'body'>): ErrorCode | undefined =>
  status < 400 ? undefined : JSON.parse(body).code
