import type { RestApi } from '../template/rest-api.ts'
import { errorResponse } from './error-response.ts'
import type { HttpResponse, RequestHead } from './request.ts'

/** What is served beside the API on the same port; `undefined` for a path that it does not have. */
export type Site = (request: RequestHead) => Promise<HttpResponse | undefined>

/**
 * The response to a path that is not below the stage: a file of the API reference, or 404. Known
 * difference: on AWS the reference has another host, and API Gateway responds 403
 * `{"message":"Forbidden"}` here, which does not say that the path only lacks the stage.
 */
export const respondOutsideStage = async (
  { stageName }: RestApi,
  request: RequestHead,
  site: Site | undefined,
): Promise<HttpResponse> => {
  const isRead = request.httpMethod === 'GET' || request.httpMethod === 'HEAD'
  const file = isRead ? await site?.(request) : undefined
  return file ?? errorResponse('route_not_found', `Every path begins with /${stageName}.`)
}
