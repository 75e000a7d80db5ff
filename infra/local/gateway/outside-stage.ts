import { catalogue } from '../../../shared/errors/catalogue.ts'
import type { RestApi } from '../template/rest-api.ts'
import { catalogueAnswer } from './catalogue-answer.ts'
import type { RequestHead } from './receive.ts'
import type { Answer } from './request.ts'

/** What is served beside the API on the same port; `undefined` where the path names nothing of it. */
export type Site = (request: RequestHead) => Promise<Answer<Uint8Array> | undefined>

/**
 * A path that is not below the stage: a file of the API reference, or nothing. Known difference: AWS
 * serves the reference from a host of its own, and answers 403 `{"message":"Forbidden"}` here, which
 * tells nobody that the path only lacks the base URL's own.
 */
export const answerOutsideStage = async (
  { stageName }: RestApi,
  request: RequestHead,
  site: Site | undefined,
): Promise<Answer | Answer<Uint8Array>> => {
  const isRead = request.httpMethod === 'GET' || request.httpMethod === 'HEAD'
  const file = isRead ? await site?.(request) : undefined
  return (
    file ??
    catalogueAnswer('route_not_found', `${catalogue.route_not_found.message} Every path begins with /${stageName}.`)
  )
}
