import type { ServerResponse } from 'node:http'
import type { RequestHead } from './receive.ts'
import type { Answer } from './request.ts'

/**
 * Writes an answer. Node adds `Date`, and leaves the body out of the answer to a HEAD request.
 */
export const respond = (response: ServerResponse, head: RequestHead, answer: Answer | Answer<Uint8Array>): void => {
  // The caller is gone.
  if (response.destroyed || response.headersSent) return
  response.statusCode = answer.status
  response.setHeader('x-amzn-RequestId', head.requestId)
  response.setHeader('x-amz-apigw-id', head.extendedRequestId)
  for (const [name, value] of answer.headers) response.appendHeader(name, value)
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json')
  // Neither may have a body, nor a length of one.
  if (answer.status === 204 || answer.status === 304) {
    response.end()
    return
  }
  response.setHeader('Content-Length', Buffer.byteLength(answer.body))
  response.end(answer.body)
}
